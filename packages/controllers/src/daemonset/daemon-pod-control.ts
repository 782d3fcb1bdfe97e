import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { hasStatusCause, isNotFound } from '@coxswain/apimachinery/errors';
import {
  ControllerExpectations,
  metaNamespaceKey,
  type SharedIndexInformer,
  slowStartBatch,
  UIDTrackingControllerExpectations,
} from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { PodControl, type PodOwner, podFromTemplate } from '../framework/pods/pod-control.ts';
import type { OwnWrites } from '../framework/writes/own-writes.ts';
import { daemonTemplate, forNode } from './daemon-pod.ts';

/** The maximum number of pods of one set that are created, and that are deleted, in one reconcile. */
const burstReplicas = 250;

/** Creates and deletes the pods of DaemonSets, and tracks which of these operations the pod cache does not show yet. */
export class DaemonPodControl {
  readonly expectations: UIDTrackingControllerExpectations;
  readonly #podControl: PodControl;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #ownWrites: OwnWrites;

  constructor(context: ControllerContext, pods: SharedIndexInformer<Pod>, ownWrites: OwnWrites) {
    this.#podControl = new PodControl(context.clients, context.recorder('daemonset-controller'));
    this.expectations = new UIDTrackingControllerExpectations(new ControllerExpectations({ clock: context.clock }));
    this.#pods = pods;
    this.#ownWrites = ownWrites;
  }

  /** Creates pods on `createsOn` and deletes `deletes`. Continues after failures and rejects at the end with the first one. */
  async sync(
    owner: PodOwner & { readonly object: DaemonSet },
    { createsOn, deletes, hash }: { createsOn: readonly string[]; deletes: readonly Pod[]; hash: string },
  ): Promise<void> {
    const key = metaNamespaceKey(owner.object);
    const nodes = createsOn.slice(0, burstReplicas);
    const doomed = deletes.slice(0, burstReplicas);
    this.expectations.expectDeletions(key, doomed.map(metaNamespaceKey));
    this.expectations.expectations.raiseExpectations(key, nodes.length, 0);

    const template = daemonTemplate(owner.object, hash);
    const queue = nodes.values();
    const { successes, error } = await slowStartBatch(nodes.length, async () => {
      const { value: node } = queue.next();
      if (node !== undefined) await this.#create(key, owner, podFromTemplate(forNode(template, node), owner));
    });
    // Failed creations will not be observed.
    this.expectations.expectations.lowerExpectations(key, nodes.length - successes, 0);
    const failures: unknown[] = error === undefined ? [] : [error];
    await Promise.all(doomed.map((pod) => this.#delete(key, owner, pod).catch((it: unknown) => failures.push(it))));
    if (failures.length > 0) throw failures[0];
  }

  async #create(key: string, owner: PodOwner, pod: Pod): Promise<void> {
    try {
      const created = await this.#podControl.create(owner.object.metadata?.namespace ?? '', pod, owner);
      this.#ownWrites.wrote(key, this.#pods, created.metadata.resourceVersion);
    } catch (error) {
      // The namespace is being deleted: a retry is pointless.
      if (!hasStatusCause(error, 'NamespaceTerminating')) throw error;
    }
  }

  async #delete(key: string, owner: PodOwner, pod: Pod): Promise<void> {
    try {
      await this.#podControl.delete(pod.metadata.namespace ?? '', pod.metadata.name ?? '', owner);
    } catch (error) {
      this.expectations.deletionObserved(key, metaNamespaceKey(pod));
      if (!isNotFound(error)) throw error;
    }
  }
}
