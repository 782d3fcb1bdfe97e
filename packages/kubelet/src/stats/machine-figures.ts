import type { FileSystemUsage } from '@coxswain/linux';
import type { InterfaceStats, PressureStats } from './summary.ts';

/** What a whole machine uses. What it does not tell is undefined. */
export interface MachineUsage {
  readonly cpuUsageNs: number;
  readonly memory: {
    readonly availableBytes: number;
    readonly usageBytes: number;
    readonly workingSetBytes: number;
    readonly rssBytes: number;
    readonly pageFaults: number;
    readonly majorPageFaults: number;
  };
  readonly swap: { readonly usageBytes: number; readonly availableBytes: number };
  readonly interfaces: readonly InterfaceStats[];
  /** Name of the interface of the default route. */
  readonly defaultInterface: string | undefined;
  readonly processes: { readonly limit: number; readonly running: number };
  /** Undefined if the kernel does not count pressure. */
  readonly pressure: Readonly<Record<'cpu' | 'memory' | 'io', PressureStats | undefined>>;
  readonly bootTimeMs: number;
}

/** The figures of a node's machine. Hollow nodes have none. */
export interface MachineFigures {
  usage(): Promise<MachineUsage>;
  /** How full the file system of a path is; undefined if there is no such path. */
  fileSystem(path: string): Promise<FileSystemUsage | undefined>;
  /** What a directory takes; undefined if there is none. */
  directory(path: string): Promise<{ readonly bytes: number; readonly inodes: number } | undefined>;
  /** What `/metrics/cadvisor` says of the hardware. */
  hardware(): Promise<MachineHardware>;
}

export interface MachineHardware {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
}
