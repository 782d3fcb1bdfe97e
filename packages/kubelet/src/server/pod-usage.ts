import type { Pod } from '@coxswain/api/core/v1';
import type { ContainerStats } from '@coxswain/cri';
import { podUidLabel } from '../runtime/labels.ts';
import type { KubeletHost } from './kubelet-host.ts';

export interface Usage {
  readonly cpuNanoCores: number;
  readonly cpuCoreNanoSeconds: number;
  readonly memoryBytes: number;
}

interface ContainerUsage extends Usage {
  readonly name: string;
  readonly startedAtMs: number;
}

export interface PodUsage extends Usage {
  readonly pod: Pod;
  readonly containers: readonly ContainerUsage[];
}

/** Returns what pods use that have running containers. */
export async function podUsages(host: KubeletHost): Promise<PodUsage[]> {
  const byPod = new Map<string, ContainerStats[]>();
  for (const stats of await host.runtime.stats()) {
    const uid = stats.attributes?.labels[podUidLabel] ?? '';
    byPod.set(uid, [...(byPod.get(uid) ?? []), stats]);
  }
  return host.pods().flatMap((pod) => {
    const containers = (byPod.get(pod.metadata.uid ?? '') ?? []).map((stats) => usageOf(pod, stats));
    return containers.length === 0 ? [] : [{ pod, containers, ...sumOf(containers) }];
  });
}

function usageOf({ status }: Pod, { attributes, cpu, memory }: ContainerStats): ContainerUsage {
  const name = attributes?.metadata?.name ?? '';
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const startedAt = all.find((container) => container.name === name)?.state?.running?.startedAt;
  return {
    name,
    startedAtMs: Date.parse(startedAt ?? '') || 0,
    cpuNanoCores: cpu?.usageNanoCores?.value ?? 0,
    cpuCoreNanoSeconds: cpu?.usageCoreNanoSeconds?.value ?? 0,
    memoryBytes: memory?.workingSetBytes?.value ?? 0,
  };
}

export const sumOf = (usages: readonly Usage[]): Usage => {
  const sum = (of: (usage: Usage) => number): number => usages.reduce((total, usage) => total + of(usage), 0);
  return {
    cpuNanoCores: sum(({ cpuNanoCores }) => cpuNanoCores),
    cpuCoreNanoSeconds: sum(({ cpuCoreNanoSeconds }) => cpuCoreNanoSeconds),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
  };
};
