/** What the configuration of a node says about its containers. */
export interface RuntimeSettings {
  /** Whether CPU limits are enforced by CFS quotas. */
  readonly cpuCFSQuota: boolean;
  readonly cpuCFSQuotaPeriodMicroseconds: number;
  /** Whether containers without a seccomp profile have that of the runtime. */
  readonly seccompDefault: boolean;
  /** Directory of the profiles that pods name as `localhostProfile`. */
  readonly seccompProfileRoot: string;
  /** Whether the kernel kills single processes that run out of memory instead of the whole container. Only for cgroup v2. */
  readonly singleProcessOOMKill: boolean;
  readonly isCgroupV2: boolean;
  /** Memory of the machine, by which out-of-memory scores are computed. */
  readonly memoryCapacityBytes: number;
  /** Sizes of huge pages that the kernel has, such as `2MB`. */
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
