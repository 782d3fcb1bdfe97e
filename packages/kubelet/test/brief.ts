import type { ContainerState, ContainerStatus, Pod } from '@coxswain/api/core/v1';

/** Returns the state of each container, such as `web running ready` or `web waiting CrashLoopBackOff (restarts 2, last Error 1)`. */
export function containersOf({ status }: Pod): string[] {
  return [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ].map(containerText);
}

/** Returns the conditions of a pod: the type of those that are True without a reason, and type, status, reason and message of others. */
export function conditionsOf({ status }: Pod): string[] {
  return (status?.conditions ?? []).map(({ type, status: is, reason, message }) => {
    const why = [reason, message].filter((text) => text !== undefined).join(': ');
    return is === 'True' && why === '' ? type : `${type}=${is}${why && ` ${why}`}`;
  });
}

function containerText({ name, state, lastState, ready, started, restartCount }: ContainerStatus): string {
  const facts = [
    ...(restartCount > 0 ? [`restarts ${restartCount}`] : []),
    ...(lastState?.terminated ? [`last ${stateText(lastState)}`] : []),
  ];
  const flags = `${state?.running && started ? ' started' : ''}${ready ? ' ready' : ''}`;
  return `${name} ${stateText(state)}${flags}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

function stateText(state: ContainerState | undefined): string {
  const { waiting, running, terminated } = state ?? {};
  if (running) return 'running';
  if (terminated) {
    const { reason, exitCode, message } = terminated;
    return `${reason} ${exitCode}${message ? ` "${message}"` : ''}`;
  }
  return `waiting ${waiting?.reason ?? ''}${waiting?.message ? ` "${waiting.message}"` : ''}`;
}
