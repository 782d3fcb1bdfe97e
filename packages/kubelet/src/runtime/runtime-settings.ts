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
};
