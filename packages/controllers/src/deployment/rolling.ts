import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { maxReplicas, minAvailable } from './fenceposts.ts';
import { byAge, isActive, sizeOf, totalAvailable, totalSize } from './replica-sets.ts';
import type { Resize } from './scaling.ts';

/** How many pods the set with the deployment's template is to have now: as many as there is room for besides all others. */
export function newSetSize(deployment: Deployment, newSetSize: number, oldSets: readonly ReplicaSet[]): number {
  const size = sizeOf(deployment);
  if (newSetSize >= size) return size;
  const room = maxReplicas(deployment) - totalSize(oldSets) - newSetSize;
  return newSetSize + Math.min(Math.max(room, 0), size - newSetSize);
}

/**
 * How the other sets can shrink, step by step: first by pods that are not available anyway, then by as many as are more than
 * must be available. The new set's pods that are not available yet count as missing, so that a template that does not work
 * cannot bring down the pods that do.
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
  // Differs from upstream, which may go on: a set that is still shrinking counts pods as available that are on their way out.
  if (firstShrinking >= 0) return unhealthy;
  const sizes = new Map(unhealthy.map(({ set, size }) => [set, size]));
  const sizeNow = (set: ReplicaSet): number => sizes.get(set) ?? sizeOf(set);
  const surplus = shrink(active, totalAvailable([...active, newSet]) - needed, sizeNow, sizeNow);
  return [...unhealthy, ...surplus];
}

/** Takes so many pods away from the sets in turn, from each as many as it can spare. */
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
