import type { Container, ContainerStateTerminated, ContainerStatus, PodSpec, PodStatus } from '@coxswain/api/core/v1';
import { isSidecar, restartsAfter } from '../pods/restart-rules.ts';
import { RESTARTING_ALL_CONTAINERS } from './reasons.ts';

export interface PhaseInput {
  readonly spec: PodSpec;
  /** The statuses of all containers except ephemeral ones. */
  readonly statuses: readonly ContainerStatus[];
  /** True if no container of the pod is started again. */
  readonly isTerminal: boolean;
  /** True if the latest sandbox has a main container. */
  readonly hasInitialized: boolean;
}

/** Computes the phase of a pod from the statuses of its containers. */
export function podPhase({ spec, statuses, isTerminal, hasInitialized }: PhaseInput): NonNullable<PodStatus['phase']> {
  const views = [...(spec.initContainers ?? []), ...spec.containers].map((container, i) => {
    const status = statuses.find(({ name }) => name === container.name);
    const kind = i >= (spec.initContainers?.length ?? 0) ? 'main' : isSidecar(container) ? 'sidecar' : 'init';
    return { kind, status, ...viewOf(container, spec, status) };
  });
  const inits = views.filter(({ kind }) => kind === 'init');
  const sidecars = views.filter(({ kind }) => kind === 'sidecar');
  const mains = views.filter(({ kind }) => kind === 'main');

  if (inits.some(({ end, isRestartable }) => end && end.exitCode !== 0 && !isRestartable)) return 'Failed';
  if (inits.some(({ end }) => !end)) return 'Pending';
  const lasting = [...sidecars, ...mains];
  if (!hasInitialized && sidecars.some(({ status, end }) => !end && !status?.started)) return 'Pending';
  if (lasting.some(({ standing }) => standing === 'waiting' || standing === 'unknown')) return 'Pending';
  if (lasting.some(({ standing }) => standing === 'running')) return 'Running';
  // No container runs. Only the exit codes of main containers count.
  if (!isTerminal && mains.some(({ isRestartable }) => isRestartable)) return 'Running';
  return mains.every(({ status }) => status?.state?.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed';
}

interface View {
  readonly standing: 'unknown' | 'waiting' | 'running' | 'ended';
  /** How the last run ended. Undefined if there was none, or if a later one has started. */
  readonly end: ContainerStateTerminated | undefined;
  readonly isRestartable: boolean;
}

function viewOf(container: Container, spec: PodSpec, status: ContainerStatus | undefined): View {
  const { state, lastState } = status ?? {};
  const end = state?.terminated ?? (state?.waiting && lastState?.terminated);
  if (end) {
    const isRestartable = restartsAfter(container, spec, end.exitCode) || end.reason === RESTARTING_ALL_CONTAINERS;
    return { standing: 'ended', end, isRestartable };
  }
  const standing = state?.running ? 'running' : state?.waiting ? 'waiting' : 'unknown';
  return { standing, end, isRestartable: false };
}
