import type { Pod, PodCondition } from '@coxswain/api/core/v1';

/** How the pod's `status.conditions` has it; undefined when it says nothing of that type. */
export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

/** Ready for at least so long. `now` in milliseconds. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  return ready.lastTransitionTime !== undefined && readySince(pod) + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the pod counts as available, if nothing happens to it; undefined when it is not ready or already does. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isPodReady(pod) || isPodAvailable(pod, minReadySeconds, now)) return undefined;
  return readySince(pod) + minReadySeconds * 1000 - now;
}

const readySince = (pod: Pod): number => Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '') || 0;

/** It has ended, one way or the other, and does not run again. */
export const isPodTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Neither ended nor about to go. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && !pod.metadata.deletionTimestamp;

/** About to go, but not ended yet. */
export const isPodTerminating = (pod: Pod): boolean => !isPodTerminal(pod) && !!pod.metadata.deletionTimestamp;
