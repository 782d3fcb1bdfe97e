import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { isRollingUpdate, maxReplicas } from './fenceposts.ts';
import { byAge, isActive, largestThenNewest, largestThenOldest, sizeOf, totalSize } from './replica-sets.ts';
import { desiredReplicasAnnotation, maxReplicasAnnotation, replicasAnnotation } from './revision.ts';

/** A size for a set. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
  /** Note the deployment's size in the set even where its own stays the same. */
  readonly alwaysAnnotate?: boolean;
}

/** Whether the deployment's size was changed since its sets were last resized. */
export function wasScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.filter(isActive).some((set) => {
    const desired = replicasAnnotation(set, desiredReplicasAnnotation);
    return desired !== undefined && desired !== sizeOf(deployment);
  });
}

/**
 * How the sets follow a change of the deployment's size. All of the change goes to the one set with pods, if there is but one.
 * In the midst of a roll-out every set has its share, so that the roll-out is as far as it was.
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

/** The set has all that the deployment wants, and knows it; and all of its pods are available. */
function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const size = sizeOf(deployment);
  return (
    sizeOf(set) === size &&
    replicasAnnotation(set, desiredReplicasAnnotation) === size &&
    (set.status?.availableReplicas ?? 0) === size
  );
}

/** What there is to add or take away goes to the sets by their size, the largest first; it also gets what rounding leaves. */
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

/** Negative where pods are to go; never beyond what is left of them all. */
function shareOf(deployment: Deployment, set: ReplicaSet, left: number): number {
  if (left === 0) return 0;
  const fraction = fractionOf(deployment, set);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

/** By how much the set would grow if it grew as the deployment does. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = sizeOf(set);
  if (sizeOf(deployment) === 0) return -size;
  // Somebody may have taken the annotation away.
  const before = replicasAnnotation(set, maxReplicasAnnotation) || deployment.status?.replicas;
  return before ? Math.round((size * maxReplicas(deployment)) / before) - size : 0;
}
