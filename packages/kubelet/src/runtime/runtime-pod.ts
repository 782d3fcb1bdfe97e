/** A pod in the container runtime, converted from CRI's sandboxes and containers. Both lists have the latest first. */
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly RuntimeSandbox[];
  readonly containers: readonly RuntimeContainer[];
}

export interface RuntimeSandbox {
  readonly id: string;
  /** How many sandboxes the pod had before this one. */
  readonly attempt: number;
  readonly isReady: boolean;
  /** The IP addresses. Empty for pods in the node's network. */
  readonly ips: readonly string[];
}

export type RuntimeContainerState = 'Created' | 'Running' | 'Exited' | 'Unknown';

export interface RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly restartCount: number;
  /** Hash of the container's name and image when it was created (`containerHash`). Empty if the container has no such annotation. */
  readonly hash: string;
  readonly image: string;
  readonly imageRef: string;
  readonly state: RuntimeContainerState;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  /** 0 while the container runs. */
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  /** Undefined if the runtime does not report resources. */
  readonly resources: RuntimeResources | undefined;
  /** The user and groups of the container's first process. Undefined if the runtime does not report them. */
  readonly user: RuntimeUser | undefined;
}

/** The limits of a container's cgroup. 0 means no limit. */
export interface RuntimeResources {
  readonly cpuShares: number;
  readonly cpuQuota: number;
  readonly cpuPeriod: number;
  readonly memoryLimitBytes: number;
  /** Undefined if unknown. Cgroups don't record it, so it is lost when the kubelet restarts. */
  readonly memoryRequestBytes: number | undefined;
}

export interface RuntimeUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

/** Returns the container of that name that was created last. */
export const latestContainer = (pod: RuntimePod, name: string): RuntimeContainer | undefined =>
  pod.containers.find((container) => container.name === name);
