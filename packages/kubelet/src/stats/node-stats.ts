import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Clock } from '@coxswain/client';
import type { FilesystemUsage, ImageService } from '@coxswain/cri';
import type { CpuRates } from './cpu-rates.ts';
import type { MachineUsage } from './machine-figures.ts';
import type { NodeStatsSources } from './node-stats-sources.ts';
import { capacityOf, fsStats } from './storage-stats.ts';
import { sumOfContainers } from './sum-of-containers.ts';
import type { FsStats, InterfaceStats, NodeStats, PodStats } from './summary.ts';

export interface NodeStatsOptions {
  readonly pods: readonly PodStats[];
  readonly detail: 'all' | 'cpu and memory';
  readonly clock: Clock;
  readonly rates: CpuRates;
  readonly images: Pick<ImageService, 'imageFsInfo'>;
  readonly machine: NodeStatsSources | undefined;
}

type Figures = Omit<NodeStats, 'nodeName'>;

/** The id of the whole machine among those of containers. */
const wholeMachine = '/';

/** The figures of a machine, or the sums of its pods for a hollow node. */
export async function nodeStats({ machine, ...options }: NodeStatsOptions): Promise<Figures> {
  if (!machine) return { startTime: null, ...sumOfContainers(options.pods) };
  const usage = await machine.figures.usage();
  const figures = machineStats(usage, options);
  if (options.detail === 'cpu and memory') return figures;
  const [fs, runtime] = await Promise.all([
    machine.figures.fileSystem(machine.rootDirectory),
    runtimeStats(machine, options.images),
  ]);
  const { time } = figures.cpu;
  const { cpu: _, memory: __, io } = usage.pressure;
  return {
    ...figures,
    ...(io && { io: { time, psi: io } }),
    network: { time, ...defaultInterface(usage), interfaces: usage.interfaces },
    ...(fs && { fs: fsStats(fs, options.clock) }),
    ...(runtime && { runtime }),
    rlimit: { time, maxpid: usage.processes.limit, curproc: usage.processes.running },
  };
}

function machineStats(usage: MachineUsage, { clock, rates }: Pick<NodeStatsOptions, 'clock' | 'rates'>) {
  const nowMs = clock.now();
  const time = timeFromDate(new Date(nowMs));
  const usageNanoCores = rates.nanoCores(wholeMachine, BigInt(Math.round(nowMs)) * 1_000_000n, usage.cpuUsageNs);
  const { memory, swap, pressure } = usage;
  return {
    startTime: timeFromDate(new Date(usage.bootTimeMs)),
    cpu: { time, usageNanoCores, usageCoreNanoSeconds: usage.cpuUsageNs, psi: pressure.cpu },
    memory: { time, ...memory, psi: pressure.memory },
    swap: { time, swapUsageBytes: swap.usageBytes, swapAvailableBytes: swap.availableBytes },
  };
}

function defaultInterface({ interfaces, defaultInterface }: MachineUsage): InterfaceStats {
  const name = defaultInterface ?? 'eth0';
  return interfaces.find((each) => each.name === name) ?? { name: '' };
}

/** Where the runtime keeps images and writable layers. Undefined if it does not tell. */
async function runtimeStats(
  machine: NodeStatsSources,
  images: NodeStatsOptions['images'],
): Promise<NodeStats['runtime'] | undefined> {
  const info = await images.imageFsInfo({}, { timeoutMs: 120_000 }).catch(() => undefined);
  const [imageFs] = info?.imageFilesystems ?? [];
  const [containerFs = imageFs] = info?.containerFilesystems ?? [];
  if (!imageFs || !containerFs) return undefined;
  return { imageFs: await ofRuntime(machine, imageFs), containerFs: await ofRuntime(machine, containerFs) };
}

async function ofRuntime(machine: NodeStatsSources, usage: FilesystemUsage): Promise<FsStats> {
  const fileSystem = await machine.figures.fileSystem(usage.fsId?.mountpoint ?? '');
  return {
    time: timeFromDate(new Date(Number(usage.timestamp / 1_000_000n))),
    ...capacityOf(fileSystem),
    usedBytes: usage.usedBytes?.value,
    inodesUsed: usage.inodesUsed?.value,
  };
}
