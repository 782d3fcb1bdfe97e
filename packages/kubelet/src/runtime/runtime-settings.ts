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
  /** Sysctls that pods may set besides the safe ones, or beginnings of their names with `*` at the end. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** Why the machine can't confine containers by AppArmor; undefined if it can. */
  readonly appArmorProblem: string | undefined;
  /** The longest time that a container that keeps failing waits for its next start. */
  readonly maxRestartPeriodMs: number;
  readonly imagePulls: ImagePullLimits;
}

/** How many images are pulled at a time. */
export interface ImagePullLimits {
  /** How many pulls may go on at a time; undefined for no limit. */
  readonly maxParallel: number | undefined;
  /** How many pulls may begin in a second; 0 for no limit. A pull beyond that fails. */
  readonly qps: number;
  /** How many pulls may begin at once after a time without pulls. */
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
