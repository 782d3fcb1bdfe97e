/** The settings of a node that apply to all its containers. */
export interface RuntimeSettings {
  /** Whether CPU limits are enforced by CFS quotas. */
  readonly cpuCFSQuota: boolean;
  readonly cpuCFSQuotaPeriodMicroseconds: number;
  /** Whether containers without a seccomp profile get the runtime's default profile. */
  readonly seccompDefault: boolean;
  /** The directory of the profiles that pods refer to in `localhostProfile`. */
  readonly seccompProfileRoot: string;
  /** Whether the kernel kills single processes that run out of memory instead of the whole container. Only for cgroup v2. */
  readonly singleProcessOOMKill: boolean;
  readonly isCgroupV2: boolean;
  /** The memory of the machine, which OOM scores are computed from. */
  readonly memoryCapacityBytes: number;
  /** The sizes of huge pages that the kernel supports, such as `2MB`. */
  readonly hugePageSizes: readonly string[];
  /** The unsafe sysctls that pods may set: names, or prefixes with `*` at the end. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** Why the machine does not support AppArmor. Undefined if it does. */
  readonly appArmorProblem: string | undefined;
  /** The longest back-off of a container that keeps exiting. */
  readonly maxRestartPeriodMs: number;
  readonly imagePulls: ImagePullLimits;
}

/** The limits of image pulls. */
export interface ImagePullLimits {
  /** The most pulls at the same time. Undefined for no limit. */
  readonly maxParallel: number | undefined;
  /** The most pulls that start per second on average. Further pulls fail. 0 for no limit. */
  readonly qps: number;
  /** The most pulls that start at once. */
  readonly burst: number;
}

export const defaultRuntimeSettings: RuntimeSettings = {
  cpuCFSQuota: true,
  cpuCFSQuotaPeriodMicroseconds: 100_000,
  seccompDefault: false,
  seccompProfileRoot: '/var/lib/kubelet/seccomp',
  singleProcessOOMKill: false,
  isCgroupV2: true,
  memoryCapacityBytes: 16 * 2 ** 30,
  hugePageSizes: [],
  allowedUnsafeSysctls: [],
  appArmorProblem: undefined,
  maxRestartPeriodMs: 300_000,
  imagePulls: { maxParallel: undefined, qps: 0, burst: 0 },
};
