import type { Pod } from '@coxswain/api/core/v1';
import { isPodActive } from '@coxswain/component-helpers';
import { byDeletionOrder } from '../framework/pods/pod-deletion-order.ts';

/**
 * Returns the pods to delete when there are `count` too many. `relatedPods` are the pods of all sets of the same owner. Among
 * otherwise equal pods, one whose node has more of them comes first.
 */
export function podsToDelete(
  activePods: readonly Pod[],
  relatedPods: readonly Pod[],
  count: number,
  now: number,
): readonly Pod[] {
  if (count >= activePods.length) return activePods;
  const podsOnNode = new Map<string, number>();
  for (const pod of relatedPods) {
    if (isPodActive(pod)) podsOnNode.set(nodeOf(pod), (podsOnNode.get(nodeOf(pod)) ?? 0) + 1);
  }
  const rankOf = (pod: Pod): number => podsOnNode.get(nodeOf(pod)) ?? 0;
  return [...activePods].sort(byDeletionOrder(rankOf, now)).slice(0, count);
}

const nodeOf = (pod: Pod): string => pod.spec?.nodeName ?? '';
