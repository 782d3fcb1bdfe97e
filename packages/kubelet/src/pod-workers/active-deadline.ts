import type { Pod, PodStatus } from '@coxswain/api/core/v1';

/** When the pod must have ended; undefined when it may take its time or has not begun. */
export function activeDeadlineAtMs({ spec }: Pod, { startTime }: PodStatus): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return Date.parse(startTime) + Number(spec.activeDeadlineSeconds) * 1000;
}

/** What the pod ends of when its time is over; undefined as long as it is not. */
export function deadlineExceeded(pod: Pod, status: PodStatus, nowMs: number) {
  const atMs = activeDeadlineAtMs(pod, status);
  const hasEnded = status.phase === 'Succeeded' || (status.phase === 'Failed' && status.reason !== reason);
  if (atMs === undefined || nowMs < atMs || hasEnded) return undefined;
  return { reason, message: 'Pod was active on the node longer than the specified deadline' };
}

const reason = 'DeadlineExceeded';
