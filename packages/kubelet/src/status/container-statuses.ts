import type { Container, ContainerState, ContainerStatus, Pod, VolumeMountStatus } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { shouldBeStarted } from '../containers/should-be-started.ts';
import { isSidecar } from '../pods/restart-rules.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod, type RuntimeUser } from '../runtime/runtime-pod.ts';
import { CONTAINER_STATUS_UNKNOWN, RESTARTING_ALL_CONTAINERS } from './reasons.ts';
import { statusResources } from './status-resources.ts';

/** Why the last attempt to start a container failed. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerStatusesInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  /** The prefix of `containerID`, such as `containerd`. */
  readonly runtimeName: string;
  readonly failures: ReadonlyMap<string, StartFailure>;
  readonly isRestartingAll: boolean;
}

/** Returns a status for each of the containers, in their order, from the runtime's containers and the statuses before. */
export function containerStatuses(
  containers: readonly Container[],
  before: readonly ContainerStatus[] | undefined,
  input: ContainerStatusesInput,
): ContainerStatus[] {
  return containers.map((container) => {
    const old = before?.find(({ name }) => name === container.name);
    const status = statusOf(container, old, input);
    return withFailure(container, status, input);
  });
}

function statusOf(
  container: Container,
  old: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const [latest, previous] = input.runtimePod.containers.filter(({ name }) => name === container.name);
  if (!latest) return statusWithoutContainer(container, old, input);
  const status = fromRuntime(container, latest, old, input);
  return previous ? { ...status, lastState: stateOf(previous, input.runtimeName) } : status;
}

/** Returns the status of a container that the runtime has. */
function fromRuntime(
  container: Container,
  latest: RuntimeContainer,
  old: ContainerStatus | undefined,
  { runtimeName }: ContainerStatusesInput,
): ContainerStatus {
  const containerID = `${runtimeName}://${latest.id}`;
  const mounts = old?.volumeMounts ?? mountStatuses(container);
  const { requests } = container.resources ?? {};
  // An earlier run counts even if the runtime has removed its container.
  const isAnotherRun = old?.state?.terminated && old.containerID !== containerID;
  const lastEnd = isAnotherRun ? old.state?.terminated : old?.lastState?.terminated;
  const isRunning = latest.state === 'Running';
  const isNextRun = isRunning && old?.state?.terminated && old.restartCount >= latest.restartCount;
  return {
    name: container.name,
    state: stateOf(latest, runtimeName),
    lastState: lastEnd ? { terminated: lastEnd } : {},
    ready: false,
    restartCount: isNextRun ? old.restartCount + 1 : Math.max(latest.restartCount, old?.restartCount ?? 0),
    image: latest.image,
    imageID: latest.imageRef,
    containerID,
    ...(requests && { allocatedResources: requests }),
    resources: statusResources(container, latest),
    ...(latest.user && { user: { linux: userStatus(latest.user) } }),
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
}

/** Returns the status of a container that the runtime does not have: it was not created yet, or it was removed. */
function statusWithoutContainer(
  container: Container,
  old: ContainerStatus | undefined,
  { pod, runtimePod, isRestartingAll }: ContainerStatusesInput,
): ContainerStatus {
  const inits = pod.spec?.initContainers ?? [];
  const mounts = mountStatuses(container);
  const waiting: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason: inits.length > 0 ? 'PodInitializing' : 'ContainerCreating' } },
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
  if (isRestartingAll && old && !old.state?.waiting) return restartingAll(waiting, old);
  const isInit = inits.some(({ name }) => name === container.name);
  const hasMain = pod.spec?.containers.some(({ name }) => latestContainer(runtimePod, name));
  if (old?.state?.terminated) return old;
  if (isInit && hasMain && !isSidecar(container)) {
    const message =
      'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
    return { ...waiting, state: { terminated: { reason: 'Completed', message, exitCode: 0 } } };
  }
  if (!old?.state?.running || waiting.lastState?.terminated) return waiting;
  const message = 'The container could not be located when the pod was deleted.  The container used to be Running';
  return {
    ...waiting,
    lastState: { terminated: { reason: CONTAINER_STATUS_UNKNOWN, message, exitCode: 137 } },
    restartCount: waiting.restartCount + (pod.metadata.deletionTimestamp ? 0 : 1),
  };
}

function restartingAll(waiting: ContainerStatus, old: ContainerStatus): ContainerStatus {
  const reason = RESTARTING_ALL_CONTAINERS;
  const message = 'The container is removed because RestartAllContainers in place';
  return {
    ...waiting,
    state: { waiting: { reason, message } },
    lastState: { terminated: { reason, message, exitCode: 137 } },
    restartCount: old.restartCount + 1,
  };
}

/** Makes the status of a container that should run but failed to start `waiting`, with the reason of the failure. */
function withFailure(container: Container, status: ContainerStatus, input: ContainerStatusesInput): ContainerStatus {
  const failure = input.failures.get(container.name);
  if (!failure || !shouldBeStarted(container, input.pod, input.runtimePod)) return status;
  const isInit = input.pod.spec?.initContainers?.some(({ name }) => name === container.name);
  const latest = latestContainer(input.runtimePod, container.name);
  if (isInit && latest?.state === 'Exited' && latest.exitCode === 0 && !isSidecar(container)) return status;
  return {
    ...status,
    ...(status.state?.terminated && { lastState: status.state }),
    state: { waiting: { reason: failure.reason, ...(failure.message !== '' && { message: failure.message }) } },
  };
}

function stateOf(container: RuntimeContainer, runtimeName: string): ContainerState {
  const time = (ms: number): string => timeFromDate(new Date(ms));
  const { state, startedAtMs, finishedAtMs, exitCode, reason, message, id } = container;
  if (state === 'Created' || state === 'Unknown') return { waiting: {} };
  if (state === 'Running') return { running: { startedAt: time(startedAtMs) } };
  return {
    terminated: {
      exitCode,
      reason,
      ...(message !== '' && { message }),
      startedAt: time(startedAtMs),
      finishedAt: time(finishedAtMs),
      containerID: `${runtimeName}://${id}`,
    },
  };
}

const mountStatuses = ({ volumeMounts }: Container): VolumeMountStatus[] =>
  (volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }),
  }));

const userStatus = ({ uid, gid, supplementalGroups }: RuntimeUser) => ({
  uid,
  gid,
  ...(supplementalGroups.length > 0 && { supplementalGroups: [...supplementalGroups] }),
});
