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
 * How the other sets can shrink: first by pods that are not available anyway, then by as many as are more than must be
 * available. The new set's pods that are not available yet count as missing, so that a template that does not work cannot
 * bring down the pods that do.
 */
export function planScaleDown(deployment: Deployment, newSet: ReplicaSet, oldSets: readonly ReplicaSet[]): Resize[] {
  const active = oldSets.filter(isActive).sort(byAge);
  const needed = minAvailable(deployment);
  const newUnavailable = sizeOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  const mayGo = totalSize([...active, newSet]) - needed - newUnavailable;
  if (active.length === 0 || mayGo <= 0) return [];
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));

  let unhealthyLeft = mayGo;
  for (const set of active) {
    const unhealthy = Math.min(sizeOf(set) - (set.status?.availableReplicas ?? 0), unhealthyLeft);
    if (unhealthy <= 0) continue;
    sizes.set(set, sizeOf(set) - unhealthy);
    unhealthyLeft -= unhealthy;
  }

  let availableLeft = totalAvailable([...active, newSet]) - needed;
  for (const set of active) {
    const going = Math.min(sizes.get(set)!, Math.max(availableLeft, 0));
    sizes.set(set, sizes.get(set)! - going);
    availableLeft -= going;
  }
  return active.filter((set) => sizes.get(set) !== sizeOf(set)).map((set) => ({ set, size: sizes.get(set)! }));
}
