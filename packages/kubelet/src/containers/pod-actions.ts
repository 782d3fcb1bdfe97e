import type { Container, Pod } from '@coxswain/api/core/v1';
import { restartsAllContainers } from '../pods/restart-rules.ts';
import { containerHash } from '../runtime/container-hash.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod } from '../runtime/runtime-pod.ts';
import { type InitActions, initContainerActions } from './init-container-actions.ts';
import type { ResizeOf } from './resize.ts';
import { shouldBeStarted } from './should-be-started.ts';

/** Results of the probes of running containers, by container id. */
export interface ProbeVerdicts {
  /** Returns the failed probe because of which the container must be restarted; undefined if there is none. */
  failed(containerId: string): 'Liveness' | 'Startup' | undefined;
  hasStarted(containerId: string): boolean;
}

export interface ContainerKill {
  readonly container: Container;
  readonly id: string;
  readonly message: string;
  /** The failed probe. It may have a grace period of its own. */
  readonly probe?: 'Liveness' | 'Startup' | undefined;
  /** True if the container is restarted to get other resources. */
  readonly isResize?: boolean;
}

/** A running container whose resources are changed without a restart. */
export interface ContainerResize {
  readonly container: Container;
  readonly id: string;
}

/** Everything on which the actions depend. */
export interface PodActionsInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly probes: ProbeVerdicts;
  readonly resizeOf: ResizeOf;
  readonly isRestartingAll: boolean;
}

/** The actions that bring a pod from its actual to its desired state. */
export interface PodActions {
  /** True if all containers are stopped: because the sandbox is replaced, or because the pod is done. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  /** The number of earlier sandboxes. */
  readonly attempt: number;
  readonly initContainersToStart: readonly Container[];
  readonly containersToStart: readonly Container[];
  readonly ephemeralContainersToStart: readonly Container[];
  readonly containersToKill: readonly ContainerKill[];
  readonly containersToResize: readonly ContainerResize[];
  /** Containers that are removed, in this order, because all containers of the pod are restarted. */
  readonly containersToReset: readonly RuntimeContainer[];
}

const nothing: PodActions = {
  killPod: false,
  createSandbox: false,
  attempt: 0,
  initContainersToStart: [],
  containersToStart: [],
  ephemeralContainersToStart: [],
  containersToKill: [],
  containersToResize: [],
  containersToReset: [],
};

/** Computes the actions for a pod from its spec and from what the runtime has of it. */
export function podActions({ pod, runtimePod, probes, resizeOf, isRestartingAll }: PodActionsInput): PodActions {
  const ephemeralContainers = pod.spec!.ephemeralContainers ?? [];
  if (isRestartingAll) return { ...nothing, containersToReset: containersToReset(pod, runtimePod) };
  const sandbox = runtimePod.sandboxes[0];
  if (!sandbox?.isReady) return newSandboxActions(pod, runtimePod, sandbox ? sandbox.attempt + 1 : 0);

  const ephemeralContainersToStart = ephemeralContainers.filter(({ name }) => !latestContainer(runtimePod, name));
  const inits = initContainerActions(pod, runtimePod, probes, resizeOf);
  const actions = { ...nothing, ephemeralContainersToStart, ...withoutProgress(inits) };
  if (inits.killPod || !inits.hasInitialized) return { ...actions, killPod: inits.killPod };
  return { ...actions, ...mainContainerActions({ pod, runtimePod, probes, resizeOf }, inits) };
}

const withoutProgress = ({ toStart, toKill, toResize }: InitActions): Partial<PodActions> => ({
  initContainersToStart: toStart,
  containersToKill: toKill,
  containersToResize: toResize,
});

/** Returns the actions for a pod without a usable sandbox: a new one, unless the pod has run to completion. */
function newSandboxActions(pod: Pod, runtimePod: RuntimePod, attempt: number): PodActions {
  const { restartPolicy, containers } = pod.spec!;
  const initContainers = pod.spec!.initContainers ?? [];
  const kill = { ...nothing, killPod: true, attempt };
  if (restartPolicy === 'Never' && attempt > 0 && runtimePod.containers.length > 0) return kill;
  const toStart = containers.filter((container) => {
    const latest = latestContainer(runtimePod, container.name);
    const runsOnce = (container.restartPolicy ?? restartPolicy) === 'OnFailure';
    return !(runsOnce && latest?.state === 'Exited' && latest.exitCode === 0);
  });
  const hasInitialized = containers.some(({ name }) => latestContainer(runtimePod, name));
  if (toStart.length === 0 && hasInitialized) return kill;
  const [firstInit] = initContainers;
  return {
    ...kill,
    createSandbox: true,
    ...(firstInit ? { initContainersToStart: [firstInit] } : { containersToStart: toStart }),
  };
}

function mainContainerActions(input: Omit<PodActionsInput, 'isRestartingAll'>, inits: InitActions) {
  const { pod, runtimePod, probes, resizeOf } = input;
  const { containers, restartPolicy } = pod.spec!;
  const toStart: Container[] = [];
  const toKill: ContainerKill[] = [];
  const toResize: ContainerResize[] = [];
  let kept = 0;
  for (const container of containers) {
    const latest = latestContainer(runtimePod, container.name);
    if (latest?.state !== 'Running') {
      if (shouldBeStarted(container, pod, runtimePod)) toStart.push(container);
      continue;
    }
    const kill = killOf(container, latest, probes, resizeOf);
    if (!kill) {
      kept++;
      if (resizeOf(container, latest) === 'in-place') toResize.push({ container, id: latest.id });
      continue;
    }
    const restarts = !kill.probe || (container.restartPolicy ?? restartPolicy) !== 'Never';
    if (restarts) toStart.push(container);
    // Upstream leaves the suffix out for containers that are restarted by a resize.
    const isTold = restarts && !kill.isResize;
    toKill.push({ ...kill, message: isTold ? `${kill.message}, will be restarted` : kill.message });
  }
  const isDone = kept === 0 && toStart.length === 0;
  return {
    killPod: isDone,
    // Sidecars are not started for a pod whose main containers are done.
    initContainersToStart: isDone ? [] : inits.toStart,
    containersToStart: toStart,
    containersToKill: [...inits.toKill, ...toKill],
    containersToResize: [...inits.toResize, ...toResize],
  };
}

/** Returns the kill of a running container; undefined if it keeps running. */
function killOf(
  container: Container,
  running: RuntimeContainer,
  probes: ProbeVerdicts,
  resizeOf: ResizeOf,
): ContainerKill | undefined {
  const kill = { container, id: running.id };
  if (running.hash !== containerHash(container))
    return { ...kill, message: `Container ${container.name} definition changed` };
  const probe = probes.failed(running.id);
  if (probe) return { ...kill, probe, message: `Container ${container.name} failed ${probe.toLowerCase()} probe` };
  if (resizeOf(container, running) !== 'by-restart') return undefined;
  return { ...kill, isResize: true, message: `Container ${container.name} resize requires restart` };
}

/** Returns the containers to remove; last the ones whose exit causes the restart of all. */
function containersToReset(pod: Pod, { containers }: RuntimePod): RuntimeContainer[] {
  const { containers: mains } = pod.spec!;
  const initContainers = pod.spec!.initContainers ?? [];
  const of = (specs: readonly Container[]): { sources: RuntimeContainer[]; targets: RuntimeContainer[] } => {
    const all = specs.flatMap((spec) =>
      containers.filter(({ name }) => name === spec.name).map((container) => ({ spec, container })),
    );
    const isSource = ({ spec, container: { state, exitCode } }: (typeof all)[number]): boolean =>
      state === 'Exited' && restartsAllContainers(spec, exitCode);
    return {
      sources: all.filter(isSource).map(({ container }) => container),
      targets: all.filter((each) => !isSource(each)).map(({ container }) => container),
    };
  };
  const [inits, regular] = [of(initContainers), of(mains)];
  return [...regular.targets, ...inits.targets, ...regular.sources, ...inits.sources];
}
