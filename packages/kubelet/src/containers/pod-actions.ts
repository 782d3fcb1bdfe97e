import type { Container, Pod } from '@coxswain/api/core/v1';
import { containerHash } from '../runtime/container-hash.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod } from '../runtime/runtime-pod.ts';
import { type InitActions, initContainerActions } from './init-container-actions.ts';
import type { ResizeOf } from './resize.ts';
import { restartsAllContainers, shouldBeStarted } from './restart-rules.ts';

/** What the probes say of containers that run, by the runtime's ids. */
export interface ProbeVerdicts {
  /** The container must be restarted, for failing this probe. */
  failed(containerId: string): 'Liveness' | 'Startup' | undefined;
  hasStarted(containerId: string): boolean;
}

export interface ContainerKill {
  readonly container: Container;
  readonly id: string;
  readonly message: string;
  /** The probe that it failed, which may have a grace period of its own. */
  readonly probe?: 'Liveness' | 'Startup' | undefined;
  /** It is to have other resources. */
  readonly isResize?: boolean;
}

/** It gets the resources that it asks for as it runs. */
export interface ContainerResize {
  readonly container: Container;
  readonly id: string;
}

/** By what it is decided what has to be done for a pod. */
export interface PodActionsInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly probes: ProbeVerdicts;
  readonly resizeOf: ResizeOf;
  readonly isRestartingAll: boolean;
}

/** What has to be done to bring a pod to what it asks for. */
export interface PodActions {
  /** Everything of it ends: the sandbox is to be made anew, or nothing is left to be done. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  /** How many sandboxes there were before. */
  readonly attempt: number;
  readonly initContainersToStart: readonly Container[];
  readonly containersToStart: readonly Container[];
  readonly ephemeralContainersToStart: readonly Container[];
  readonly containersToKill: readonly ContainerKill[];
  readonly containersToResize: readonly ContainerResize[];
  /** All containers begin anew: these are taken away, in this order. */
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

/** Decides by what the pod asks for and what there is of it. */
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

/** Everything begins anew, unless the pod is one that has come to its end. */
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
    // Upstream does not say so of those that are restarted to get other resources.
    const isTold = restarts && !kill.isResize;
    toKill.push({ ...kill, message: isTold ? `${kill.message}, will be restarted` : kill.message });
  }
  const isDone = kept === 0 && toStart.length === 0;
  return {
    killPod: isDone,
    // Sidecars do not keep a pod alive.
    initContainersToStart: isDone ? [] : inits.toStart,
    containersToStart: toStart,
    containersToKill: [...inits.toKill, ...toKill],
    containersToResize: [...inits.toResize, ...toResize],
  };
}

/** Why a container that runs must not go on, if so. */
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

/** Those whose end made it so go last. */
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
