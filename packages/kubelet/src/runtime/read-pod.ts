import type { ContainerState, ContainerStatus, PodSandboxStatus } from '@coxswain/cri';
import {
  containerHashAnnotation,
  containerNameLabel,
  podNameLabel,
  podNamespaceLabel,
  podUidLabel,
  restartCountAnnotation,
} from './labels.ts';
import type {
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
  RuntimeResources,
  RuntimeSandbox,
} from './runtime-pod.ts';

const states: Readonly<Record<ContainerState, RuntimeContainerState>> = {
  CONTAINER_CREATED: 'Created',
  CONTAINER_RUNNING: 'Running',
  CONTAINER_EXITED: 'Exited',
  CONTAINER_UNKNOWN: 'Unknown',
};

type Labels = Readonly<Record<string, string>>;

/** Returns the identity of a pod from the labels of one of its sandboxes or containers. */
export const podOf = (labels: Labels): Pick<RuntimePod, 'uid' | 'name' | 'namespace'> => ({
  uid: labels[podUidLabel] ?? '',
  name: labels[podNameLabel] ?? '',
  namespace: labels[podNamespaceLabel] ?? '',
});

export function readSandbox({ id, metadata, state, network }: PodSandboxStatus): RuntimeSandbox {
  const ips = [network?.ip ?? '', ...(network?.additionalIps ?? []).map(({ ip }) => ip)];
  return {
    id,
    attempt: metadata?.attempt ?? 0,
    isReady: state === 'SANDBOX_READY',
    ips: ips.filter((ip) => ip !== ''),
  };
}

/** Converts CRI's status of a container. `memoryRequestBytes` is undefined if the kubelet has restarted since it created the container. */
export function readContainer(
  status: ContainerStatus,
  sandboxId: string,
  message: string,
  memoryRequestBytes: number | undefined,
): RuntimeContainer {
  const { id, metadata, labels, annotations, image, imageRef, exitCode, reason } = status;
  return {
    id,
    sandboxId,
    name: labels[containerNameLabel] ?? metadata?.name ?? '',
    restartCount: Number(annotations[restartCountAnnotation] ?? metadata?.attempt ?? 0),
    hash: annotations[containerHashAnnotation] ?? '',
    image: image?.image ?? '',
    imageRef,
    state: states[status.state],
    createdAtMs: milliseconds(status.createdAt),
    startedAtMs: milliseconds(status.startedAt),
    finishedAtMs: milliseconds(status.finishedAt),
    exitCode,
    reason,
    message,
    resources: readResources(status, memoryRequestBytes),
    user: status.user?.linux && {
      uid: status.user.linux.uid,
      gid: status.user.linux.gid,
      supplementalGroups: status.user.linux.supplementalGroups,
    },
  };
}

function readResources(
  { resources }: ContainerStatus,
  memoryRequestBytes: number | undefined,
): RuntimeResources | undefined {
  if (!resources?.linux) return undefined;
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimitInBytes } = resources.linux;
  return {
    cpuShares,
    cpuQuota: Math.max(0, cpuQuota),
    cpuPeriod,
    memoryLimitBytes: Math.max(0, memoryLimitInBytes),
    memoryRequestBytes,
  };
}

/** Converts a time of CRI, in nanoseconds. Returns 0 for times that are not set: those are 0, or negative for Go's zero time. */
const milliseconds = (nanoseconds: bigint): number => (nanoseconds <= 0n ? 0 : Number(nanoseconds / 1_000_000n));
