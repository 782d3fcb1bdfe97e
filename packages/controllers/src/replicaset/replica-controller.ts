import type { Pod } from '@coxswain/api/core/v1';
import { hasStatusCause, isNotFound } from '@coxswain/apimachinery/errors';
import { Selector } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, getControllerOfNoCopy, newControllerRef } from '@coxswain/apimachinery/meta';
import {
  ControllerExpectations,
  metaNamespaceKey,
  type ReconcileResult,
  type ResourceDescription,
  type SharedIndexInformer,
  slowStartBatch,
  UIDTrackingControllerExpectations,
} from '@coxswain/client';
import { availableInMs, isPodActive, isPodTerminating } from '@coxswain/component-helpers';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addControllerIndex, controlledBy, orphansIn } from '../framework/ownership/controller-index.ts';
import { ownedObjectHandler } from '../framework/ownership/owned-object-handler.ts';
import { claimObjects } from '../framework/ownership/owned-objects.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { recheckOwner } from '../framework/ownership/recheck-owner.ts';
import { PodControl, type PodOwner, podFromTemplate } from '../framework/pods/pod-control.ts';
import { lookForOwnWritesMs, OwnWrites } from '../framework/writes/own-writes.ts';
import { updateStatus } from '../framework/writes/update-status.ts';
import { podsToDelete } from './pods-to-delete.ts';
import { isSameStatus, replicaStatus } from './replica-status.ts';
import { type ReplicatedKind, type ReplicatedObject, replicasOf } from './replicated-kind.ts';

/** The maximum number of pods that are created or deleted in one reconcile of an object. */
const burstReplicas = 500;

/** Keeps the desired number of pods for each object of a kind. */
export class ReplicaController<T extends ReplicatedObject> implements Controller {
  readonly #kind: ReplicatedKind<T>;
  readonly #context: ControllerContext;
  readonly #resource: ResourceDescription;
  readonly #sets: SharedIndexInformer<T>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #podControl: PodControl;
  readonly #expectations: UIDTrackingControllerExpectations;
  readonly #ownWrites = new OwnWrites();
  readonly #owners: OwnerLookup<T>;
  readonly #loop: ReconcileLoop;

  constructor(context: ControllerContext, kind: ReplicatedKind<T>) {
    this.#kind = kind;
    this.#context = context;
    this.#resource = kind.resource;
    this.#sets = kind.informer(context.informers);
    this.#pods = context.informers.core.v1.pods.informer;
    this.#podControl = new PodControl(context.clients, context.recorder(kind.component));
    this.#expectations = new UIDTrackingControllerExpectations(new ControllerExpectations({ clock: context.clock }));
    this.#loop = new ReconcileLoop(context, {
      name: kind.queueName,
      synced: [this.#sets, this.#pods],
      reconcile: (key, signal) => this.#reconcile(key, signal),
    });
    this.#owners = new OwnerLookup(this.#sets, kind.resource.kind, kind.selector);
    addControllerIndex(this.#sets);
    addControllerIndex(this.#pods);
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const loop = this.#loop;
    // A new object of the same name must not wait for the deleted object's expectations.
    loop.follow(this.#sets, (key) => this.#forget(key));
    this.#pods.addEventHandler(
      ownedObjectHandler<Pod, T>({
        owners: this.#owners,
        enqueue: (set) => loop.add(set),
        created: (set) => this.#expectations.creationObserved(metaNamespaceKey(set)),
        deleted: (set, podKey) => this.#expectations.deletionObserved(metaNamespaceKey(set), podKey),
      }),
    );
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (!this.#ownWrites.areSeen(key)) return { requeueAfterMs: lookForOwnWritesMs };
    const set = this.#sets.indexer.getByKey(key);
    if (!set) {
      this.#forget(key);
      return;
    }
    // With an invalid selector it would not find its own pods and would create new ones endlessly.
    if (this.#owners.selectorOf(set) === Selector.nothing) return;
    const mayManage = this.#expectations.satisfied(key) && !set.metadata.deletionTimestamp;
    const { uid = '', namespace } = set.metadata;
    const owned = controlledBy(this.#pods.indexer, uid);
    const candidates = [...owned, ...orphansIn(this.#pods.indexer, namespace)].filter(isPodActive);
    const activePods = await this.#claim(set, candidates);

    let failure: unknown;
    if (mayManage) failure = await this.#manageReplicas(key, set, activePods, signal);
    // Work that was interrupted by the abort is not reported as a failure in the status.
    signal.throwIfAborted();

    const now = this.#context.clock.now();
    const status = replicaStatus(set, {
      activePods,
      ...(this.#kind.countsTerminating && {
        terminatingPods: owned.filter((pod) => isPodTerminating(pod) && this.#owners.matches(set, pod)).length,
      }),
      failure,
      now,
    });
    if (!isSameStatus(set.status, status)) {
      const updated = await updateStatus(this.#client(set), set, (object) => this.#kind.withStatus(object, status));
      this.#ownWrites.wrote(key, this.#sets, updated.metadata.resourceVersion);
    }
    if (failure !== undefined) throw failure;

    const { minReadySeconds = 0 } = set.spec ?? {};
    if (minReadySeconds === 0 || status.readyReplicas === status.availableReplicas) return;
    const waits = activePods.map((pod) => availableInMs(pod, minReadySeconds, now) ?? Number.POSITIVE_INFINITY);
    return { requeueAfterMs: Math.min(minReadySeconds * 1000, ...waits) };
  }

  /** Creates missing pods or deletes surplus ones. Resolves with the failure, or undefined without one. */
  async #manageReplicas(key: string, set: T, activePods: readonly Pod[], signal: AbortSignal): Promise<unknown> {
    const missing = replicasOf(set) - activePods.length;
    if (missing > 0) return await this.#createPods(key, set, Math.min(missing, burstReplicas), signal);
    if (missing < 0) return await this.#deletePods(key, set, activePods, Math.min(-missing, burstReplicas));
    return undefined;
  }

  async #createPods(key: string, set: T, count: number, signal: AbortSignal): Promise<unknown> {
    const { namespace = '' } = set.metadata;
    const owner = this.#podOwner(set);
    const pod = podFromTemplate(set.spec?.template ?? {}, owner);
    this.#expectations.expectCreations(key, count);
    const { successes, error } = await slowStartBatch(count, async () => {
      signal.throwIfAborted();
      try {
        const created = await this.#podControl.create(namespace, pod, owner);
        this.#ownWrites.wrote(key, this.#pods, created.metadata.resourceVersion);
      } catch (error) {
        // The namespace is being deleted: a retry is pointless.
        if (!hasStatusCause(error, 'NamespaceTerminating')) throw error;
      }
    });
    // Failed creations will not be observed.
    this.#expectations.expectations.lowerExpectations(key, count - successes, 0);
    return error;
  }

  async #deletePods(key: string, set: T, activePods: readonly Pod[], count: number): Promise<unknown> {
    const { namespace = '' } = set.metadata;
    const owner = this.#podOwner(set);
    const chosen = podsToDelete(activePods, this.#relatedPods(set), count, this.#context.clock.now());
    this.#expectations.expectDeletions(key, chosen.map(metaNamespaceKey));
    let failure: unknown;
    await Promise.all(
      chosen.map(async (pod) => {
        try {
          await this.#podControl.delete(namespace, pod.metadata.name ?? '', owner);
        } catch (error) {
          this.#expectations.deletionObserved(key, metaNamespaceKey(pod));
          if (!isNotFound(error)) failure ??= error;
        }
      }),
    );
    return failure;
  }

  /** Returns the pods of all sets that have the same controller as this one. */
  #relatedPods(set: T): Pod[] {
    const controller = getControllerOfNoCopy(set);
    if (!controller) return [];
    const siblings = controlledBy(this.#sets.indexer, controller.uid);
    return siblings.flatMap(({ metadata }) => controlledBy(this.#pods.indexer, metadata.uid ?? ''));
  }

  #claim(set: T, pods: readonly Pod[]): Promise<Pod[]> {
    const { name = '', namespace = '', uid = '', deletionTimestamp } = set.metadata;
    const { reference } = this.#podOwner(set);
    return claimObjects(pods, {
      owner: { uid, reference, isBeingDeleted: deletionTimestamp !== undefined },
      matches: (pod) => this.#owners.matches(set, pod),
      canAdopt: () => recheckOwner(set, this.#kind.resource.kind, () => this.#client(set).get(name)),
      patch: (pod, patch) =>
        this.#context.clients.core.v1.pods(namespace).patch(pod.metadata.name ?? '', 'strategic-merge', patch),
    });
  }

  #podOwner(set: T): PodOwner {
    const { group, version, kind } = this.#resource;
    const reference = newControllerRef(set, GroupVersionKind.of(group, version, kind));
    return { object: set, resource: this.#resource, reference };
  }

  #client(set: T): ReturnType<ReplicatedKind<T>['client']> {
    return this.#kind.client(this.#context.clients, set.metadata.namespace ?? '');
  }

  #forget(key: string): void {
    this.#expectations.deleteExpectations(key);
    this.#ownWrites.forget(key);
  }
}
