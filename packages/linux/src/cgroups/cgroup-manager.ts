import type { CgroupDriver, CgroupName } from './cgroup-name.ts';

/** Makes, limits, reads and removes cgroups, in either version of the kernel's interface. */
export interface CgroupManager {
  readonly version: 1 | 2;
  readonly driver: CgroupDriver;
  /** Path of a cgroup on the host, relative to the hierarchies: a pod's cgroup parent, for CRI. */
  path(name: CgroupName): string;
  /** The reverse of `path`. */
  name(path: string): CgroupName;
  /** Resolves to whether the cgroup exists in all hierarchies, with all controllers that the kubelet uses and the machine has. */
  exists(name: CgroupName): Promise<boolean>;
  /** Makes the cgroup and those above it, and sets its limits. Completes what is missing if it exists. */
  create(name: CgroupName, resources: CgroupResources, signal?: AbortSignal): Promise<void>;
  /** Sets the limits that are given; others stay. Rejects if the cgroup does not exist or the kernel refuses a value. */
  update(name: CgroupName, resources: CgroupResources, signal?: AbortSignal): Promise<void>;
  /**
   * Kills all processes of the cgroup and of those below it, and removes them all. Does nothing if it does not exist. Rejects with an
   * error that names the directory if the kernel does not let go of it within a second; it may be called again then.
   */
  destroy(name: CgroupName, signal?: AbortSignal): Promise<void>;
  /** The processes of the cgroup and of those below it, in order. None if it does not exist. */
  pids(name: CgroupName): Promise<number[]>;
  /** The cgroups directly inside, of any hierarchy. None if it does not exist. */
  children(name: CgroupName): Promise<CgroupName[]>;
  /** Reads the limits of CPU and memory that the kernel has. Shares and quota are in the terms of version 1. */
  resources(name: CgroupName): Promise<CgroupLimits>;
  /** Reads what the processes of a cgroup use. The path is one of `path`, or of a container's cgroup. Rejects if it does not exist. */
  stats(path: string): Promise<CgroupStats>;
}

/** Limits. What is undefined, or 0 for CPU and memory, is left as it is. */
export interface CgroupResources {
  /** Relative to other cgroups of the same parent, from 2 to 262144; becomes a weight in version 2. */
  readonly cpuShares?: number;
  /** Microseconds per period; -1 for no limit. */
  readonly cpuQuota?: number;
  /** Microseconds. */
  readonly cpuPeriod?: number;
  /** CPUs by number, such as `0-2,5`. */
  readonly cpuset?: string;
  /** Bytes; -1 for no limit. */
  readonly memory?: number;
  /** Below 0 for no limit. */
  readonly pids?: number;
  /** Page size in bytes → bytes. Sizes that are not here are limited to 0. */
  readonly hugePages?: ReadonlyMap<number, number>;
  /** Files of version 2 and their content, such as `memory.high`. Version 1 ignores them. */
  readonly unified?: Readonly<Record<string, string>>;
}

export interface CgroupLimits {
  readonly cpuShares: number;
  /** -1 for no limit. */
  readonly cpuQuota: number;
  readonly cpuPeriod: number;
  /** Undefined for no limit. */
  readonly memory: number | undefined;
}

export interface CgroupStats {
  readonly cpu: {
    /** CPU time since the cgroup was made. */
    readonly usageNanoseconds: bigint;
  };
  readonly memory: {
    readonly usageBytes: number;
    /** Usage without files that were not used lately: what eviction looks at. */
    readonly workingSetBytes: number;
    readonly rssBytes: number;
    readonly pageFaults: number;
    readonly majorPageFaults: number;
    /** Undefined for no limit. */
    readonly limitBytes: number | undefined;
    /** How many processes the kernel has killed for want of memory. Undefined if the kernel does not count them. */
    readonly oomKills: number | undefined;
  };
  /** Undefined without the pids controller. */
  readonly processes: number | undefined;
}
