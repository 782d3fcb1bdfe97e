import type { Pod } from '@coxswain/api/core/v1';
import { isPodTerminal, podCondition } from '@coxswain/component-helpers';

const timeoutMs = 2 * 60_000;

/**
 * Returns the milliseconds until the pod's DisruptionTarget condition counts as stale, or undefined when the pod has no such
 * condition or is being deleted.
 */
export function staleInMs(pod: Pod, now: number): number | undefined {
  const condition = podCondition(pod, 'DisruptionTarget');
  if (condition?.status !== 'True' || pod.metadata.deletionTimestamp || isPodTerminal(pod)) return undefined;
  if (condition.reason === 'TerminationByKubelet') return undefined;
  const since = Date.parse(condition.lastTransitionTime ?? '') || 0;
  return Math.max(0, since + timeoutMs - now);
}
