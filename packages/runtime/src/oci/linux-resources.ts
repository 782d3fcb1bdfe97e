import { access } from 'node:fs/promises';
import type { LinuxContainerResources } from '@coxswain/cri';
import type { LinuxResources } from './oci-spec.ts';

/** Controllers that not every machine has. */
export interface CgroupAbilities {
  readonly version: 1 | 2;
  readonly swap: boolean;
  readonly hugePages: boolean;
}

/** Finds out what the machine's cgroups can limit. */
export async function cgroupAbilities(version: 1 | 2, root = '/sys/fs/cgroup'): Promise<CgroupAbilities> {
  const has = (path: string): Promise<boolean> =>
    access(`${root}/${path}`).then(
      () => true,
      () => false,
    );
  return version === 1
    ? { version, swap: await has('memory/memory.memsw.limit_in_bytes'), hugePages: await has('hugetlb') }
    : { version, swap: await has('init.scope/memory.swap.max'), hugePages: await has('init.scope/hugetlb.2MB.max') };
}

/** The limits of a container. What CRI leaves at zero is not limited. Throws if huge pages are limited and cannot be. */
export function linuxResources(
  asked: LinuxContainerResources | undefined,
  { swap, hugePages }: CgroupAbilities,
): LinuxResources {
  if (!asked) return {};
  const { cpuPeriod, cpuQuota, cpuShares, cpusetCpus, cpusetMems, memoryLimitInBytes, memorySwapLimitInBytes } = asked;
  const { hugepageLimits, unified } = asked;
  if (hugepageLimits.some(({ limit }) => limit > 0) && !hugePages) {
    throw new Error('huge pages limits are specified but hugetlb cgroup controller is missing');
  }
  // Without a limit of its own, a container with a memory limit may not swap.
  const swapLimit = swap ? memorySwapLimitInBytes || memoryLimitInBytes : 0;
  return {
    cpu: {
      ...(cpuShares !== 0 && { shares: cpuShares }),
      ...(cpuQuota !== 0 && { quota: cpuQuota }),
      ...(cpuPeriod !== 0 && { period: cpuPeriod }),
      ...(cpusetCpus !== '' && { cpus: cpusetCpus }),
      ...(cpusetMems !== '' && { mems: cpusetMems }),
    },
    memory: {
      ...(memoryLimitInBytes !== 0 && { limit: memoryLimitInBytes }),
      ...(swapLimit !== 0 && { swap: swapLimit }),
    },
    ...(hugePages && { hugepageLimits: hugepageLimits.map(({ pageSize, limit }) => ({ pageSize, limit })) }),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}

/** The limits after an update: what it leaves at zero stays. */
export function updatedResources(
  before: LinuxContainerResources,
  update: LinuxContainerResources,
): LinuxContainerResources {
  return {
    cpuPeriod: update.cpuPeriod || before.cpuPeriod,
    cpuQuota: update.cpuQuota || before.cpuQuota,
    cpuShares: update.cpuShares || before.cpuShares,
    memoryLimitInBytes: update.memoryLimitInBytes || before.memoryLimitInBytes,
    memorySwapLimitInBytes:
      update.memorySwapLimitInBytes || (update.memoryLimitInBytes ? 0 : before.memorySwapLimitInBytes),
    oomScoreAdj: before.oomScoreAdj,
    cpusetCpus: update.cpusetCpus || before.cpusetCpus,
    cpusetMems: update.cpusetMems || before.cpusetMems,
    hugepageLimits: update.hugepageLimits.length > 0 ? update.hugepageLimits : before.hugepageLimits,
    unified: { ...before.unified, ...update.unified },
  };
}

/** A cgroup's path as runc takes it: a path, or with systemd `slice:prefix:name`. */
export function cgroupsPath(parent: string, id: string, driver: 'cgroupfs' | 'systemd'): string {
  if (driver === 'systemd')
    return `${parent.split('/').findLast((part) => part !== '') ?? 'system.slice'}:cri-coxswain:${id}`;
  return `${parent === '' ? '/coxswain' : parent.replace(/\/$/, '')}/${id}`;
}
