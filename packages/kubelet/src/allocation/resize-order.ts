import { podQOS, podRequests } from '@coxswain/api';
import type { Pod } from '@coxswain/api/core/v1';

/** A resize that waits for room on the node. */
export interface PendingResize {
  readonly pod: Pod;
  /** The pod with its allocated resources. */
  readonly allocated: Pod;
  /** When the resize was deferred. */
  readonly sinceMs: number;
}

/** Orders pending resizes: those that request no more first, then by priority, quality of service and time. */
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
