import type { Pod } from '@coxswain/api/core/v1';
import { isPodTerminal, podCondition } from '@coxswain/component-helpers';

const timeoutMs = 2 * 60_000;

/**
 * In how many milliseconds it counts as not coming true that the pod was said to be disrupted; undefined when nothing
 * of the kind was said, or the pod is going.
 */
export function staleInMs(pod: Pod, now: number): number | undefined {
  const condition = podCondition(pod, 'DisruptionTarget');
  if (condition?.status !== 'True' || pod.metadata.deletionTimestamp || isPodTerminal(pod)) return undefined;
  if (condition.reason === 'TerminationByKubelet') return undefined;
  const since = Date.parse(condition.lastTransitionTime ?? '') || 0;
  return Math.max(0, since + timeoutMs - now);
}
