import { podQOS } from '@coxswain/api';
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { couldRestartAllContainers, isSidecar } from '../pods/restart-rules.ts';
import type { RuntimePod } from '../runtime/runtime-pod.ts';
import { isRestartingAll, restartingAllCondition } from './all-containers-restarting.ts';
import { podConditions } from './conditions.ts';
import { containerStatuses, type StartFailure } from './container-statuses.ts';
import { podPhase } from './phase.ts';
import { podResourcesStatus } from './pod-resources.ts';

/** The results of the probes of running containers. */
interface ProbeResults {
  isStarted(containerID: string): boolean;
  isReady(containerID: string): boolean;
}

export interface PodStatusInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly runtimeName: string;
  /** The status that the kubelet computed before this one. If there is none, that of the API server. */
  readonly old: PodStatus;
  readonly failures: ReadonlyMap<string, StartFailure>;
  readonly probes: ProbeResults;
  readonly hostIPs: readonly string[];
  /** True if no container of the pod is started again. */
  readonly isTerminal: boolean;
  /** Why the kubelet terminates the pod. Undefined if it does not. */
  readonly eviction?: Eviction | undefined;
  /** The conditions `PodResizePending` and `PodResizeInProgress`, if they apply. */
  readonly resize: readonly PodCondition[];
  readonly nowMs: number;
}

/** Why the kubelet terminates a pod. */
export interface Eviction {
  readonly reason: string;
  readonly message: string;
  /** True if the pod gets the condition `DisruptionTarget`, which a Job's pod failure policy can ignore. */
  readonly isDisruption?: boolean;
  /** The message of the condition `DisruptionTarget`. `message` by default. */
  readonly disruptionMessage?: string;
}

/** The conditions that the kubelet sets. It leaves all others unchanged. */
const ownConditions: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodResizeInProgress',
  'PodResizePending',
  'PodReadyToStartContainers',
  'AllContainersRestarting',
]);

export const isKubeletCondition = ({ type }: PodCondition): boolean => ownConditions.has(type);

const isEnded = (phase: PodStatus['phase']): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Computes the current status of a pod. */
export function generatePodStatus(input: PodStatusInput): PodStatus {
  const { pod, runtimePod, old, eviction } = input;
  const spec = pod.spec!;
  const isRestarting = isRestartingAll(pod, runtimePod, old);
  const statusesInput = { ...input, isRestartingAll: isRestarting };
  const inits = containerStatuses(spec.initContainers ?? [], old.initContainerStatuses, statusesInput).map(
    (status, i) => withInitProbes(status, spec.initContainers![i]!, input.probes),
  );
  const mains = containerStatuses(spec.containers, old.containerStatuses, statusesInput)
    .map((status) => withProbes(status, input.probes))
    .sort(byName);
  const ephemerals = containerStatuses(spec.ephemeralContainers ?? [], old.ephemeralContainerStatuses, statusesInput);
  const statuses = [...inits, ...mains];

  const phase = eviction ? 'Failed' : phaseOf(input, statuses);
  const told = eviction ?? (phase === old.phase ? { reason: old.reason, message: old.message } : {});
  const ips = ipsOf(input);
  const hostIPs = input.hostIPs.map((ip) => ({ ip }));
  const others = (pod.status?.conditions ?? []).filter(
    (condition) => !isKubeletCondition(condition) && !(eviction?.isDisruption && condition.type === 'DisruptionTarget'),
  );
  const sandbox = runtimePod.sandboxes[0];
  const conditions = [
    ...others,
    ...input.resize,
    ...(eviction?.isDisruption ? [disruption(eviction.disruptionMessage ?? eviction.message)] : []),
    ...podConditions({ pod, old, phase, statuses, others, hasSandbox: sandbox?.isReady ?? false }),
    ...(couldRestartAllContainers(spec) ? [restartingAllCondition(isRestarting, pod, runtimePod, phase)] : []),
  ];
  return {
    ...(pod.metadata.generation !== undefined && { observedGeneration: Number(pod.metadata.generation) }),
    phase,
    conditions: withTimes(conditions, old, input.nowMs),
    ...(told.message && { message: told.message }),
    ...(told.reason && { reason: told.reason }),
    ...(hostIPs.length > 0 && { hostIP: hostIPs[0]!.ip, hostIPs }),
    ...(ips.length > 0 && { podIP: ips[0]!, podIPs: ips.map((ip) => ({ ip })) }),
    startTime: old.startTime ?? timeFromDate(new Date(input.nowMs)),
    ...(inits.length > 0 && { initContainerStatuses: inits }),
    containerStatuses: mains,
    ...(ephemerals.length > 0 && { ephemeralContainerStatuses: ephemerals.sort(byName) }),
    qosClass: pod.status?.qosClass ?? podQOS(pod),
    ...podResourcesStatus(pod),
  };
}

/** Returns the phase. Succeeded and Failed are final. */
function phaseOf({ pod, runtimePod, old, isTerminal }: PodStatusInput, statuses: readonly ContainerStatus[]) {
  const atServer = pod.status?.phase;
  if (isEnded(atServer)) return atServer;
  const sandboxId = runtimePod.sandboxes[0]?.id;
  const hasInitialized = runtimePod.containers.some(
    (container) =>
      container.sandboxId === sandboxId && pod.spec!.containers.some(({ name }) => name === container.name),
  );
  const phase = podPhase({ spec: pod.spec!, statuses, isTerminal, hasInitialized });
  return !isEnded(phase) && isEnded(old.phase) ? old.phase : phase;
}

function ipsOf({ pod, runtimePod, hostIPs, old }: PodStatusInput): readonly string[] {
  if (pod.spec?.hostNetwork) return old.podIPs?.map(({ ip }) => ip) ?? hostIPs;
  const ips = runtimePod.sandboxes[0]?.ips;
  // A pod that has ended keeps its addresses after its sandbox is removed.
  return ips ?? (isEnded(old.phase) ? (old.podIPs ?? []).map(({ ip }) => ip) : []);
}

function withProbes(status: ContainerStatus, probes: ProbeResults): ContainerStatus {
  const { state, containerID = '' } = status;
  const started = state?.running !== undefined && probes.isStarted(containerID);
  return { ...status, started, ready: started && probes.isReady(containerID) };
}

function withInitProbes(status: ContainerStatus, container: Container, probes: ProbeResults): ContainerStatus {
  const probed = withProbes(status, probes);
  return isSidecar(container) ? probed : { ...probed, ready: status.state?.terminated?.exitCode === 0 };
}

const disruption = (message: string): PodCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'TerminationByKubelet',
  message,
});

/** Sets transition times. A condition keeps its time while its status stays the same. */
function withTimes(conditions: readonly PodCondition[], old: PodStatus, nowMs: number): PodCondition[] {
  return conditions.map((condition) => {
    if (condition.lastTransitionTime !== undefined) return condition;
    const before = old.conditions?.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status;
    return { ...condition, lastTransitionTime: (isSame && before.lastTransitionTime) || timeFromDate(new Date(nowMs)) };
  });
}

const byName = (a: ContainerStatus, b: ContainerStatus): number => (a.name < b.name ? -1 : 1);
