import type { Pod } from '@coxswain/api/core/v1';
import type { ContainerStats } from '../runtime/container-runtime.ts';
import type { KubeletHost } from './kubelet-host.ts';

export interface Usage {
  readonly cpuNanoCores: number;
  readonly cpuCoreNanoSeconds: number;
  readonly memoryBytes: number;
}

export interface PodUsage extends Usage {
  readonly pod: Pod;
  readonly containers: readonly ContainerStats[];
}

/** What each pod uses of which something runs. */
export async function podUsages(host: KubeletHost): Promise<PodUsage[]> {
  const usages = await Promise.all(
    host.pods().map(async (pod) => {
      const containers = (await host.runtime.podStats(pod.metadata.uid ?? ''))?.containers ?? [];
      return containers.length === 0 ? [] : [{ pod, containers, ...sumOf(containers) }];
    }),
  );
  return usages.flat();
}

export const sumOf = (usages: readonly Usage[]): Usage => {
  const sum = (of: (usage: Usage) => number): number => usages.reduce((total, usage) => total + of(usage), 0);
  return {
    cpuNanoCores: sum(({ cpuNanoCores }) => cpuNanoCores),
    cpuCoreNanoSeconds: sum(({ cpuCoreNanoSeconds }) => cpuCoreNanoSeconds),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
  };
};
