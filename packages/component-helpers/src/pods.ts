import type { Pod, PodCondition } from '@coxswain/api/core/v1';

/** Returns the condition of that type in `status.conditions`; undefined when there is none. */
export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

/** True when the pod has been ready for at least `minReadySeconds`. `now` is in milliseconds. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  return ready.lastTransitionTime !== undefined && readySince(pod) + minReadySeconds * 1000 <= now;
}

/** Returns the milliseconds until the pod counts as available if it stays ready; undefined when it is not ready or already available. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isPodReady(pod) || isPodAvailable(pod, minReadySeconds, now)) return undefined;
  return readySince(pod) + minReadySeconds * 1000 - now;
}

const readySince = (pod: Pod): number => Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '') || 0;

/** True for the phases Succeeded and Failed: the pod has ended and its containers are not restarted. */
export const isPodTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** True when the pod is neither terminal nor being deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && !pod.metadata.deletionTimestamp;

/** True when the pod is being deleted but not terminal yet. */
export const isPodTerminating = (pod: Pod): boolean => !isPodTerminal(pod) && !!pod.metadata.deletionTimestamp;
