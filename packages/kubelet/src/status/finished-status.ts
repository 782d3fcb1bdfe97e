import type { ContainerStatus, Pod, PodStatus } from '@coxswain/api/core/v1';
import { CONTAINER_STATUS_UNKNOWN } from './reasons.ts';

/** Returns the final status of a pod whose containers no longer run: all started containers are terminated, and the phase is final. */
export function finishedStatus(pod: Pod, status: PodStatus): PodStatus {
  const inits = status.initContainerStatuses ?? [];
  // Init containers after the last one that has run were never started.
  const lastSeen = inits.findLastIndex(({ state, lastState }) => !state?.waiting || lastState?.terminated);
  const wasInitialized =
    inits.length === 0 ||
    pod.status?.conditions?.some(({ type, status: is }) => type === 'Initialized' && is === 'True');
  const phase = status.phase === 'Succeeded' || status.phase === 'Failed' ? status.phase : 'Failed';
  return {
    ...status,
    phase,
    ...(inits.length > 0 && {
      initContainerStatuses: inits.map((init, i) => (i <= Math.max(lastSeen, 0) ? ended(init) : init)),
    }),
    ...(wasInitialized && { containerStatuses: (status.containerStatuses ?? []).map(ended) }),
  };
}

function ended(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated) return status;
  const message = 'The container could not be located when the pod was terminated';
  return { ...status, state: { terminated: { reason: CONTAINER_STATUS_UNKNOWN, message, exitCode: 137 } } };
}
