import { podQOS, podRequests } from '@coxswain/api';
import type { Pod } from '@coxswain/api/core/v1';

/** A resize that waits for room. */
export interface PendingResize {
  readonly pod: Pod;
  /** The pod with what it has now. */
  readonly allocated: Pod;
  /** Since when it has been known to wait. */
  readonly sinceMs: number;
}

/** Who is served first: who asks for no more than it has, then by priority, by quality of service, and by time. */
export function byUrgency(a: PendingResize, b: PendingResize): number {
  return (
    Number(asksForMore(a)) - Number(asksForMore(b)) ||
    (b.pod.spec?.priority ?? 0) - (a.pod.spec?.priority ?? 0) ||
    Number(isGuaranteed(b)) - Number(isGuaranteed(a)) ||
    a.sinceMs - b.sinceMs
  );
}

const isGuaranteed = ({ pod }: PendingResize): boolean => podQOS(pod) === 'Guaranteed';

function asksForMore({ pod, allocated }: PendingResize): boolean {
  const [wanted, had] = [podRequests(pod), podRequests(allocated)];
  return ['cpu', 'memory'].some((name) => {
    const [more, before] = [wanted.get(name), had.get(name)];
    return more !== undefined && (before === undefined || more.cmp(before) > 0);
  });
}
