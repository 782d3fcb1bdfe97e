import type { Pod } from '@coxswain/api/core/v1';
import { isPodActive } from '@coxswain/component-helpers';
import { byDeletionOrder } from '../framework/pods/pod-deletion-order.ts';

/**
 * Which of the pods go when there are so many too many. `relatedPods` are those of all sets of the same owner: of two pods
 * that are worth the same, the one that shares its node with more of them goes first.
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
