import { podLimits, podQOS, podRequests } from '@coxswain/api';
import type { Container, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { CgroupResources } from '@coxswain/linux';
import { milliCpuToQuota, milliCpuToShares, minCpuShares } from '../runtime/cpu-shares.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';

/**
 * Returns the limits of a pod's cgroup. A burstable pod has a CPU or memory limit only if all of its containers or the pod itself have one.
 * A best-effort pod has no limits and the lowest CPU shares.
 */
export function podCgroupResources(
  pod: Pod,
  settings: Pick<RuntimeSettings, 'cpuCFSQuota' | 'cpuCFSQuotaPeriodMicroseconds'>,
): CgroupResources {
  const requests = podRequests(pod);
  const limits = podLimits(pod);
  const hugePages = hugePageLimits(requests);
  const cpuPeriod = settings.cpuCFSQuotaPeriodMicroseconds;
  const cpuShares = milliCpuToShares(requests.get('cpu')?.milliValue() ?? 0);
  const quota = settings.cpuCFSQuota ? milliCpuToQuota(limits.get('cpu')?.milliValue() ?? 0, cpuPeriod) : -1;
  const cpu = { cpuQuota: quota, cpuPeriod };
  const memory = { memory: limits.get('memory')?.value() ?? 0 };
  switch (podQOS(pod)) {
    case 'Guaranteed':
      return { cpuShares, ...cpu, ...memory, hugePages };
    case 'Burstable':
      return {
        cpuShares,
        ...(isLimited(pod, 'cpu') && cpu),
        ...(isLimited(pod, 'memory') && memory),
        hugePages,
      };
    default:
      return { cpuShares: minCpuShares, hugePages };
  }
}

function isLimited({ spec }: Pod, name: 'cpu' | 'memory'): boolean {
  const has = (amount: string | undefined): boolean => amount !== undefined && !Quantity.parse(amount).isZero();
  if (has(spec?.resources?.limits?.[name])) return true;
  const all: Container[] = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return all.every(({ resources }) => has(resources?.limits?.[name]));
}

/** Returns the limits in bytes by page size in bytes. */
function hugePageLimits(amounts: ReadonlyMap<string, Quantity>): ReadonlyMap<number, number> {
  const limits = new Map<number, number>();
  for (const [name, amount] of amounts) {
    const size = /^hugepages-(.+)$/.exec(name)?.[1];
    if (size !== undefined) limits.set(Quantity.parse(size).value(), amount.value());
  }
  return limits;
}
