import type { ContainerStats, CpuStats, MemoryStats, PodStats, SwapStats } from './summary.ts';

type Sums = Pick<PodStats, 'cpu' | 'memory' | 'swap'>;

/** What containers, or pods, use together: for runtimes that don't tell it of pods, and nodes without a machine. */
export function sumOfContainers(all: readonly Pick<ContainerStats, 'cpu' | 'memory' | 'swap'>[]): Sums {
  const cpu = all.flatMap((each) => each.cpu ?? []);
  const memory = all.flatMap((each) => each.memory ?? []);
  const swap = all.flatMap((each) => each.swap ?? []);
  return {
    ...(cpu.length > 0 && { cpu: sumOfCpu(cpu) }),
    ...(memory.length > 0 && { memory: sumOfMemory(memory) }),
    ...(swap.length > 0 && { swap: sumOfSwap(swap) }),
  };
}

/** Undefined if no figure is known. */
function sum<T>(all: readonly T[], of: (each: T) => number | undefined): number | undefined {
  const known = all.flatMap((each) => of(each) ?? []);
  return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0);
}

const lastTime = (all: readonly { readonly time: string }[]): string =>
  all
    .map(({ time }) => time)
    .sort()
    .at(-1) ?? '';

const sumOfCpu = (all: readonly CpuStats[]): CpuStats => ({
  time: lastTime(all),
  usageNanoCores: sum(all, ({ usageNanoCores }) => usageNanoCores),
  usageCoreNanoSeconds: sum(all, ({ usageCoreNanoSeconds }) => usageCoreNanoSeconds),
});

const sumOfMemory = (all: readonly MemoryStats[]): MemoryStats => ({
  time: lastTime(all),
  availableBytes: sum(all, ({ availableBytes }) => availableBytes),
  usageBytes: sum(all, ({ usageBytes }) => usageBytes),
  workingSetBytes: sum(all, ({ workingSetBytes }) => workingSetBytes),
  rssBytes: sum(all, ({ rssBytes }) => rssBytes),
  pageFaults: sum(all, ({ pageFaults }) => pageFaults),
  majorPageFaults: sum(all, ({ majorPageFaults }) => majorPageFaults),
});

const sumOfSwap = (all: readonly SwapStats[]): SwapStats => ({
  time: lastTime(all),
  swapAvailableBytes: sum(all, ({ swapAvailableBytes }) => swapAvailableBytes),
  swapUsageBytes: sum(all, ({ swapUsageBytes }) => swapUsageBytes),
});
