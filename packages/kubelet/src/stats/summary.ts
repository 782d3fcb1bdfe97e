/** Figures of a node and its pods, as `/stats/summary` shows them (stats/v1alpha1). What is not known is absent. */
export interface Summary {
  readonly node: NodeStats;
  readonly pods: readonly PodStats[];
}

export interface NodeStats {
  readonly nodeName: string;
  readonly startTime: string | null;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  readonly network?: NetworkStats;
  readonly fs?: FsStats;
  readonly runtime?: { readonly imageFs?: FsStats; readonly containerFs?: FsStats };
  readonly rlimit?: RlimitStats;
}

export interface PodReference {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export interface PodStats {
  readonly podRef: PodReference;
  /** When its sandbox was created. */
  readonly startTime: string | null;
  readonly containers: readonly ContainerStats[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeStats[];
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: { readonly process_count: number };
}

export interface ContainerStats {
  readonly name: string;
  /** When it was created. */
  readonly startTime: string | null;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
}

export interface CpuStats {
  readonly time: string;
  readonly usageNanoCores?: number | undefined;
  readonly usageCoreNanoSeconds?: number | undefined;
  readonly psi?: PressureStats | undefined;
}

export interface MemoryStats {
  readonly time: string;
  readonly availableBytes?: number | undefined;
  readonly usageBytes?: number | undefined;
  readonly workingSetBytes?: number | undefined;
  readonly rssBytes?: number | undefined;
  readonly pageFaults?: number | undefined;
  readonly majorPageFaults?: number | undefined;
  readonly psi?: PressureStats | undefined;
}

export interface IoStats {
  readonly time: string;
  readonly psi?: PressureStats | undefined;
}

export interface SwapStats {
  readonly time: string;
  readonly swapAvailableBytes?: number | undefined;
  readonly swapUsageBytes?: number | undefined;
}

/** How long processes have waited for a resource. */
export interface PressureStats {
  readonly full: PressureData;
  readonly some: PressureData;
}

export interface PressureData {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface InterfaceStats {
  readonly name: string;
  readonly rxBytes?: number | undefined;
  readonly rxErrors?: number | undefined;
  readonly txBytes?: number | undefined;
  readonly txErrors?: number | undefined;
}

/** The figures of the default interface, and those of all. */
export interface NetworkStats extends InterfaceStats {
  readonly time: string;
  readonly interfaces: readonly InterfaceStats[];
}

export interface FsStats {
  readonly time: string;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  readonly usedBytes?: number | undefined;
  readonly inodesFree?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesUsed?: number | undefined;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
  readonly volumeHealthStats?: { readonly abnormal: boolean };
}

interface RlimitStats {
  readonly time: string;
  readonly maxpid?: number | undefined;
  readonly curproc?: number | undefined;
}
