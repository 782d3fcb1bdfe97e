import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { SharedIndexInformer, SharedInformerFactory } from '@coxswain/client';
import { claimClass, claimNameOf, notOwned, volumeClass } from '../../volumes/claims.ts';
import { annotations } from './annotations.ts';
import type { AssumeCache } from './assume-cache.ts';
import { type MatchableClaim, matchableClaim, requestOf } from './matching-volumes.ts';

/** The claims of a pod, grouped by what they need on a node. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** WaitForFirstConsumer claims to be bound to existing volumes or provisioned; smallest request first. */
  readonly unbound: readonly MatchableClaim[];
  /** Claims for which a node was selected earlier, where their volume is to be provisioned. */
  readonly selected: readonly PersistentVolumeClaim[];
}

/** The pod must wait for its claims; no node would help. */
export class ClaimsNotReady extends Error {
  override readonly name = 'ClaimsNotReady';
}

const classIndex = 'storageclass';

export function addClassIndex(volumes: SharedIndexInformer<PersistentVolume>): void {
  // Another profile may have added the index already.
  if (volumes.indexer.hasIndex(classIndex)) return;
  volumes.addIndexers({ [classIndex]: (volume) => [volumeClass(volume)] });
}

export interface VolumeCaches {
  readonly informers: SharedInformerFactory;
  readonly volumes: AssumeCache<PersistentVolume>;
  readonly claims: AssumeCache<PersistentVolumeClaim>;
}

/**
 * Undefined when the pod has no claims. Throws `ClaimsNotReady` when a claim is missing, lost, being deleted, or an unbound claim of
 * immediate binding.
 */
export function readPodClaims(pod: Pod, caches: VolumeCaches): PodClaims | undefined {
  const claims = claimsOf(pod, caches);
  if (claims.size === 0) return undefined;
  const bound: PersistentVolumeClaim[] = [];
  const selected: PersistentVolumeClaim[] = [];
  const toMatch: PersistentVolumeClaim[] = [];
  let isEveryOneReady = true;
  for (const claim of claims) {
    if (isFullyBound(claim)) bound.push(claim);
    else if (!isDelayed(claim, caches.informers) || claim.spec?.volumeName) isEveryOneReady = false;
    else if (claim.metadata.annotations?.[annotations.selectedNode] !== undefined) selected.push(claim);
    else toMatch.push(claim);
  }
  // The PV controller binds claims of immediate binding.
  if (!isEveryOneReady) throw new ClaimsNotReady('pod has unbound immediate PersistentVolumeClaims');
  const unbound = toMatch
    .map((claim) => matchableClaim(claim, caches.volumes.byIndex(classIndex, claimClass(claim))))
    .sort((a, b) => requestOf(a.claim).cmp(requestOf(b.claim)));
  return { bound, unbound, selected };
}

export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  !!spec?.volumeName && metadata.annotations?.[annotations.bindCompleted] !== undefined;

/** Differs from upstream: a claim that is used by several volumes of the pod is listed once, and gets one volume. */
function claimsOf(pod: Pod, { claims }: VolumeCaches): ReadonlySet<PersistentVolumeClaim> {
  const found = new Set<PersistentVolumeClaim>();
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name === undefined) continue;
    const claim = claims.get(`${pod.metadata.namespace}/${name}`);
    if (!claim) {
      throw new ClaimsNotReady(
        volume.ephemeral
          ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
          : `persistentvolumeclaim "${name}" not found`,
      );
    }
    if (claim.status?.phase === 'Lost') {
      const lost = claim.spec?.volumeName ?? '';
      throw new ClaimsNotReady(`persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${lost}"`);
    }
    if (claim.metadata.deletionTimestamp) throw new ClaimsNotReady(`persistentvolumeclaim "${name}" is being deleted`);
    const obstacle = volume.ephemeral && notOwned(pod, claim);
    if (obstacle) throw new ClaimsNotReady(obstacle);
    found.add(claim);
  }
  return found;
}

/** Whether the claim's class has binding mode WaitForFirstConsumer. */
function isDelayed(claim: PersistentVolumeClaim, { storage }: SharedInformerFactory): boolean {
  const className = claimClass(claim);
  const storageClass = className && storage.v1.storageClasses.informer.indexer.getByKey(className);
  if (!storageClass) return false;
  if (!storageClass.volumeBindingMode) throw new Error(`VolumeBindingMode not set for StorageClass "${className}"`);
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}
