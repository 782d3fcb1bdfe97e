import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { isRollingUpdate, maxReplicas } from './fenceposts.ts';
import { byAge, isActive, largestThenNewest, largestThenOldest, sizeOf, totalSize } from './replica-sets.ts';
import { desiredReplicasAnnotation, maxReplicasAnnotation, replicasAnnotation } from './revision.ts';

/** The new size of a ReplicaSet. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
  /** Update the size annotations even if the size is unchanged. */
  readonly alwaysAnnotate?: boolean;
}

/** Whether the deployment's size has changed since its ReplicaSets were last resized. */
export function wasScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.filter(isActive).some((set) => {
    const desired = replicasAnnotation(set, desiredReplicasAnnotation);
    return desired !== undefined && desired !== sizeOf(deployment);
  });
}

/**
 * Returns the new sizes after a change of the deployment's size. If only one ReplicaSet has pods, it gets the whole change.
 * During a rollout every ReplicaSet gets a proportional share, so that the rollout keeps its progress.
 */
export function planScaling(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): Resize[] {
  const newestFirst = oldSets.toSorted((a, b) => byAge(b, a));
  const active = [...newestFirst, ...(newSet ? [newSet] : [])].filter(isActive);
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? newestFirst[0];
    return only ? [{ set: only, size: sizeOf(deployment) }] : [];
  }
  if (newSet && isSaturated(deployment, newSet)) {
    return newestFirst.filter(isActive).map((set) => ({ set, size: 0 }));
  }
  return isRollingUpdate(deployment) ? proportionally(deployment, active) : [];
}

/** Whether the ReplicaSet and its annotation have the deployment's full size and all of its pods are available. */
function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const size = sizeOf(deployment);
  return (
    sizeOf(set) === size &&
    replicasAnnotation(set, desiredReplicasAnnotation) === size &&
    (set.status?.availableReplicas ?? 0) === size
  );
}

/** Distributes the change in proportion to the sizes, largest first. The largest also gets the rounding remainder. */
function proportionally(deployment: Deployment, active: readonly ReplicaSet[]): Resize[] {
  const allowed = sizeOf(deployment) > 0 ? maxReplicas(deployment) : 0;
  const toAdd = allowed - totalSize(active);
  if (toAdd === 0) return active.map((set) => ({ set, size: sizeOf(set), alwaysAnnotate: true }));
  const sets = active.toSorted(toAdd > 0 ? largestThenNewest : largestThenOldest);
  let left = toAdd;
  const sizes = sets.map((set) => {
    const share = shareOf(deployment, set, left);
    left -= share;
    return sizeOf(set) + share;
  });
  sizes[0] = Math.max(sizes[0]! + left, 0);
  return sets.map((set, i) => ({ set, size: sizes[i]!, alwaysAnnotate: true }));
}

/** Returns the ReplicaSet's share of the change, limited to what is left. Negative when scaling down. */
function shareOf(deployment: Deployment, set: ReplicaSet, left: number): number {
  if (left === 0) return 0;
  const fraction = fractionOf(deployment, set);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

/** Returns the growth of the ReplicaSet in proportion to the deployment's. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = sizeOf(set);
  if (sizeOf(deployment) === 0) return -size;
  // The annotation may have been removed.
  const before = replicasAnnotation(set, maxReplicasAnnotation) || deployment.status?.replicas;
  return before ? Math.round((size * maxReplicas(deployment)) / before) - size : 0;
}
