import type { Container, Pod } from '@coxswain/api/core/v1';
import { isSidecar } from '../pods/restart-rules.ts';
import { containerHash } from '../runtime/container-hash.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod } from '../runtime/runtime-pod.ts';
import type { ContainerKill, ContainerResize, ProbeVerdicts } from './pod-actions.ts';
import type { ResizeOf } from './resize.ts';
import { shouldBeStarted } from './should-be-started.ts';

export interface InitActions {
  /** True if an init container failed and is not restarted. */
  readonly killPod: boolean;
  readonly hasInitialized: boolean;
  /** In the order of the pod's spec. */
  readonly toStart: readonly Container[];
  readonly toKill: readonly ContainerKill[];
  readonly toResize: readonly ContainerResize[];
}

/** The decision for one init container. */
interface Step {
  /** True if the next init container may start. */
  readonly isInitialized: boolean;
  readonly starts?: boolean;
  readonly kill?: ContainerKill;
  readonly resize?: ContainerResize;
  readonly failsPod?: boolean;
}

/**
 * Decides what to do with the init containers of a pod. They run one after the other. A sidecar lets the next one start as soon as it
 * has started itself, and is kept running.
 *
 * The containers are examined from the last to the first, because the runtime may have removed those that ended long ago: all containers
 * before one that the runtime knows have been initialized.
 */
export function initContainerActions(
  pod: Pod,
  runtimePod: RuntimePod,
  probes: ProbeVerdicts,
  resizeOf: ResizeOf,
): InitActions {
  const { containers } = pod.spec!;
  const initContainers = pod.spec!.initContainers ?? [];
  const toStart = new Set<Container>();
  const toKill: ContainerKill[] = [];
  const toResize: ContainerResize[] = [];
  // Exited main containers don't count, because they may belong to an earlier sandbox.
  let hasInitialized =
    initContainers.length === 0 ||
    containers.some(({ name }) => ['Created', 'Running'].includes(latestContainer(runtimePod, name)?.state ?? ''));
  let isPast = hasInitialized;
  for (let i = initContainers.length - 1; i >= 0; i--) {
    const container = initContainers[i]!;
    const latest = latestContainer(runtimePod, container.name);
    if (!latest) {
      if (isPast && isSidecar(container)) toStart.add(container);
      continue;
    }
    if (isPast && !isSidecar(container)) continue;
    const step = isSidecar(container)
      ? sidecarStep(container, latest, probes, resizeOf)
      : initStep(container, latest, pod, runtimePod, resizeOf);
    if (step.failsPod) return { killPod: true, hasInitialized: false, toStart: [], toKill: [], toResize: [] };
    if (step.starts) toStart.add(container);
    if (step.kill) toKill.push(step.kill);
    if (step.resize) toResize.push(step.resize);
    const next = initContainers[i + 1];
    if (step.isInitialized && !next) hasInitialized = true;
    else if (step.isInitialized && next && !isPast) toStart.add(next);
    isPast = true;
  }
  const [first] = initContainers;
  if (!isPast && first) toStart.add(first);
  return {
    killPod: false,
    hasInitialized,
    toStart: initContainers.filter((container) => toStart.has(container)),
    toKill,
    toResize,
  };
}

function initStep(
  container: Container,
  latest: RuntimeContainer,
  pod: Pod,
  runtimePod: RuntimePod,
  resizeOf: ResizeOf,
): Step {
  if (latest.state === 'Running') return { isInitialized: false, ...resizeStep(container, latest, resizeOf) };
  if (latest.state === 'Created') return { isInitialized: false, starts: true };
  if (latest.exitCode === 0 && latest.reason !== 'OOMKilled') return { isInitialized: true };
  const restarts = shouldBeStarted(container, pod, runtimePod);
  return restarts ? { isInitialized: false, starts: true } : { isInitialized: false, failsPod: true };
}

function sidecarStep(container: Container, latest: RuntimeContainer, probes: ProbeVerdicts, resizeOf: ResizeOf): Step {
  if (latest.state !== 'Running') return { isInitialized: false, starts: true };
  const kill = (message: string, probe?: 'Liveness' | 'Startup'): ContainerKill => ({
    container,
    id: latest.id,
    message: `Init container ${container.name} ${message}`,
    probe,
  });
  const failed = probes.failed(latest.id);
  if (failed === 'Startup') {
    return { isInitialized: false, starts: true, kill: kill('failed startup probe', 'Startup') };
  }
  if (!probes.hasStarted(latest.id)) return { isInitialized: false };
  if (latest.hash !== containerHash(container))
    return { isInitialized: true, starts: true, kill: kill('definition changed') };
  if (failed === 'Liveness') {
    return { isInitialized: true, starts: true, kill: kill('failed liveness probe', 'Liveness') };
  }
  return { isInitialized: true, ...resizeStep(container, latest, resizeOf) };
}

function resizeStep(container: Container, running: RuntimeContainer, resizeOf: ResizeOf): Omit<Step, 'isInitialized'> {
  const { id } = running;
  switch (resizeOf(container, running)) {
    case 'in-place':
      return { resize: { container, id } };
    case 'by-restart':
      return { starts: true, kill: { container, id, message: `Container ${container.name} resize requires restart` } };
    default:
      return {};
  }
}
