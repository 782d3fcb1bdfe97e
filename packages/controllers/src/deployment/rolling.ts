import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { maxReplicas, minAvailable } from './fenceposts.ts';
import { byAge, isActive, sizeOf, totalAvailable, totalSize } from './replica-sets.ts';
import type { Resize } from './scaling.ts';

/** Returns the new size of the ReplicaSet with the deployment's template: as large as maxSurge allows beside the old ones. */
export function newSetSize(deployment: Deployment, newSetSize: number, oldSets: readonly ReplicaSet[]): number {
  const size = sizeOf(deployment);
  if (newSetSize >= size) return size;
  const room = maxReplicas(deployment) - totalSize(oldSets) - newSetSize;
  return newSetSize + Math.min(Math.max(room, 0), size - newSetSize);
}

/**
 * Returns how the old ReplicaSets can shrink: first by their unavailable pods, then by available pods beyond the required
 * minimum. The new ReplicaSet's unavailable pods are subtracted, so that a broken template cannot replace working pods.
 */
export function planScaleDown(deployment: Deployment, newSet: ReplicaSet, oldSets: readonly ReplicaSet[]): Resize[] {
  const active = oldSets.filter(isActive).sort(byAge);
  const needed = minAvailable(deployment);
  const newUnavailable = sizeOf(newSet) - availableIn(newSet);
  const mayGo = totalSize([...active, newSet]) - needed - newUnavailable;
  if (mayGo <= 0) return [];

  const firstShrinking = active.findIndex((set) => availableIn(set) > sizeOf(set));
  const settled = firstShrinking < 0 ? active : active.slice(0, firstShrinking);
  const unhealthy = shrink(settled, mayGo, (set) => sizeOf(set) - availableIn(set));
  // Differs from upstream, which continues: a ReplicaSet that is still shrinking counts terminating pods as available.
  if (firstShrinking >= 0) return unhealthy;
  const sizes = new Map(unhealthy.map(({ set, size }) => [set, size]));
  const sizeNow = (set: ReplicaSet): number => sizes.get(set) ?? sizeOf(set);
  const surplus = shrink(active, totalAvailable([...active, newSet]) - needed, sizeNow, sizeNow);
  return [...unhealthy, ...surplus];
}

/** Removes `count` pods from the ReplicaSets in turn, from each at most `canSpare`. */
function shrink(
  sets: readonly ReplicaSet[],
  count: number,
  canSpare: (set: ReplicaSet) => number,
  sizeNow: (set: ReplicaSet) => number = sizeOf,
): Resize[] {
  const resizes: Resize[] = [];
  let left = count;
  for (const set of sets) {
    const going = Math.min(canSpare(set), left);
    if (going <= 0) continue;
    resizes.push({ set, size: sizeNow(set) - going });
    left -= going;
  }
  return resizes;
}

const availableIn = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
