/** Protects PersistentVolumeClaims that pods use from deletion, by a finalizer. */

import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { deletedObject } from '@coxswain/client';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import {
  isDeletionCandidate,
  needsFinalizer,
  withFinalizer,
  withoutFinalizer,
} from '../framework/finalizers/finalizers.ts';
import { addClaimIndex, claimKeys, claimNameOf, isClaimOfPod, podsWithClaim } from '../framework/volumes/claim-pods.ts';

export const pvcProtectionController: ControllerDefinition = {
  name: 'persistentvolumeclaim-protection-controller',
  aliases: ['pvc-protection'],
  create: (context) => new PvcProtection(context),
};

const finalizer = 'kubernetes.io/pvc-protection';

/** Reconciles per namespace, so that one list of pods serves all claims of the namespace that are due. */
class PvcProtection implements Controller {
  readonly #context: ControllerContext;
  readonly #loop: ReconcileLoop;
  /** The keys of the claims to check, by namespace. A namespace with entries is queued. */
  readonly #due = new Map<string, Set<string>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    const claims = context.informers.core.v1.persistentVolumeClaims.informer;
    const pods = context.informers.core.v1.pods.informer;
    this.#loop = new ReconcileLoop(context, {
      name: 'pvcprotection',
      workers: 30,
      synced: [claims, pods],
      reconcile: (namespace) => this.#reconcile(namespace),
    });
    addClaimIndex(pods);
    const onClaim = (claim: PersistentVolumeClaim): void => {
      if (needsFinalizer(claim, finalizer) || isDeletionCandidate(claim, finalizer))
        this.#enqueue(`${claim.metadata.namespace}/${claim.metadata.name}`);
    };
    claims.addEventHandler({ onAdd: onClaim, onUpdate: (_, claim) => onClaim(claim) });
    pods.addEventHandler({
      onAdd: (pod) => this.#podChanged(pod),
      onUpdate: (old, pod) => {
        this.#podChanged(pod);
        // The uid changed: the deletion of the first pod was not observed.
        if (old.metadata.uid !== pod.metadata.uid) claimKeys(old).forEach(this.#enqueue);
      },
      onDelete: (deleted) => claimKeys(deletedObject(deleted)).forEach(this.#enqueue),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  /** Queues the claims of a pod that is terminated or not scheduled. A running pod changes nothing. */
  #podChanged(pod: Pod): void {
    if (isPodTerminal(pod) || !pod.spec?.nodeName) claimKeys(pod).forEach(this.#enqueue);
  }

  readonly #enqueue = (key: string): void => {
    const [namespace = ''] = key.split('/', 1);
    const due = this.#due.get(namespace) ?? new Set();
    this.#due.set(namespace, due.add(key));
    this.#loop.queue.add(namespace);
  };

  async #reconcile(namespace: string): Promise<void> {
    const { clients, informers } = this.#context;
    const { indexer } = informers.core.v1.persistentVolumeClaims.informer;
    const due = this.#due.get(namespace) ?? [];
    this.#due.delete(namespace);
    let livePods: Promise<readonly Pod[]> | undefined;
    const list = (): Promise<readonly Pod[]> => {
      livePods ??= clients.core.v1
        .pods(namespace)
        .list()
        .then(({ items }) => items);
      return livePods;
    };
    const failures: unknown[] = [];
    for (const key of due) {
      const claim = indexer.getByKey(key);
      if (!claim) continue;
      try {
        await this.#protect(claim, list);
      } catch (error) {
        failures.push(error);
        livePods = undefined;
        this.#due.set(namespace, (this.#due.get(namespace) ?? new Set()).add(key));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join(', '));
  }

  async #protect(claim: PersistentVolumeClaim, livePods: () => Promise<readonly Pod[]>): Promise<void> {
    const { namespace = '' } = claim.metadata;
    const claims = this.#context.clients.core.v1.persistentVolumeClaims(namespace);
    if (isDeletionCandidate(claim, finalizer) && !(await this.#isUsed(claim, livePods)))
      await claims.update(withoutFinalizer(claim, finalizer));
    // Admission adds the finalizer to new claims. This handles older ones.
    if (needsFinalizer(claim, finalizer)) await claims.update(withFinalizer(claim, finalizer));
  }

  /** Whether a pod uses the claim. If none in the cache does, the server's pods are checked, because the cache may be stale. */
  async #isUsed(claim: PersistentVolumeClaim, livePods: () => Promise<readonly Pod[]>): Promise<boolean> {
    const { indexer } = this.#context.informers.core.v1.pods.informer;
    const known = podsWithClaim(indexer, `${claim.metadata.namespace}/${claim.metadata.name}`);
    if (known.some((pod) => usesClaim(pod, claim))) return true;
    return (await livePods()).some((pod) => usesClaim(pod, claim));
  }
}

/** Whether the pod uses the claim. A pod without a node does not: no kubelet starts it when the claim is being deleted. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false;
    return volume.persistentVolumeClaim !== undefined || (!isShutDown(pod) && isClaimOfPod(pod, claim));
  });
}

/**
 * Whether the pod's grace period is over, or it was deleted by force, so that only finalizers keep it. These may wait for the
 * deletion of an ephemeral claim, so the pod must not protect that claim.
 */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
