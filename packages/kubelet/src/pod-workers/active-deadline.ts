import type { Pod, PodStatus } from '@coxswain/api/core/v1';

/** Returns the time at which the pod exceeds `activeDeadlineSeconds`. Undefined without a deadline, or if the pod has not started. */
export function activeDeadlineAtMs({ spec }: Pod, { startTime }: PodStatus): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return Date.parse(startTime) + Number(spec.activeDeadlineSeconds) * 1000;
}

/** Returns the reason and message for a pod that has exceeded its deadline. Undefined if it has not, or if it ended before. */
export function deadlineExceeded(pod: Pod, status: PodStatus, nowMs: number) {
  const atMs = activeDeadlineAtMs(pod, status);
  const hasEnded = status.phase === 'Succeeded' || (status.phase === 'Failed' && status.reason !== reason);
  if (atMs === undefined || nowMs < atMs || hasEnded) return undefined;
  return { reason, message: 'Pod was active on the node longer than the specified deadline' };
}

const reason = 'DeadlineExceeded';
