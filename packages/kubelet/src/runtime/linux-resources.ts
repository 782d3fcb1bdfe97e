import { podLimits, podRequests } from '@coxswain/api';
import type { Container, Pod, ResourceRequirements } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { HugepageLimit, LinuxContainerResources } from '@coxswain/cri';
import { milliCpuToQuota, milliCpuToShares } from './cpu-shares.ts';
import { oomScoreAdjust } from './oom-score.ts';
import { pageSizeText } from './page-size.ts';
import type { RuntimeSettings } from './runtime-settings.ts';

type LinuxResources = Partial<LinuxContainerResources>;

interface Amounts {
  readonly cpuRequest: Quantity | undefined;
  readonly cpuLimit: Quantity;
  readonly memoryLimit: Quantity;
}

/** Returns the CPU and memory limits of a container's cgroup. */
export function containerLimits(pod: Pod, container: Container, settings: RuntimeSettings): LinuxResources {
  const { requests, limits } = container.resources ?? {};
  // A container without a limit has the pod's limit.
  const limitOf = (name: string): Quantity => firstNonZero(limits?.[name], pod.spec?.resources?.limits?.[name]);
  const amounts = {
    cpuRequest: requests?.cpu === undefined ? undefined : Quantity.parse(requests.cpu),
    cpuLimit: limitOf('cpu'),
    memoryLimit: limitOf('memory'),
  };
  return linuxResources(amounts, settings);
}

/** Returns all resources of a container for the runtime: CPU, memory, huge pages, swap and the OOM score. */
export function containerLinuxResources(pod: Pod, container: Container, settings: RuntimeSettings): LinuxResources {
  const basic = containerLimits(pod, container, settings);
  return {
    ...basic,
    oomScoreAdj: oomScoreAdjust(pod, container, settings.memoryCapacityBytes),
    hugepageLimits: hugepageLimits(pod, container.resources ?? {}, settings),
    // Containers don't swap. In cgroup v1, that is a limit for memory and swap together that equals the limit for memory.
    ...(settings.isCgroupV2
      ? { unified: { ...basic.unified, 'memory.swap.max': '0' } }
      : { memorySwapLimitInBytes: basic.memoryLimitInBytes }),
  };
}

/** Returns the resources of all containers of a pod together, without the pod's overhead. */
export function sandboxLinuxResources(pod: Pod, settings: RuntimeSettings): LinuxResources {
  const { overhead: _, ...spec } = pod.spec!;
  const withoutOverhead = { ...pod, spec };
  const zero = Quantity.parse('0');
  const limits = podLimits(withoutOverhead);
  const amounts = {
    cpuRequest: podRequests(withoutOverhead).get('cpu'),
    cpuLimit: limits.get('cpu') ?? zero,
    memoryLimit: limits.get('memory') ?? zero,
  };
  return linuxResources(amounts, settings);
}

/** Returns the pod's overhead, which serves as request and as limit. */
export function overheadLinuxResources({ spec }: Pod, settings: RuntimeSettings): LinuxResources {
  if (!spec?.overhead) return {};
  const [cpu, memory] = [spec.overhead.cpu, spec.overhead.memory].map((text) => Quantity.parse(text ?? '0'));
  return linuxResources({ cpuRequest: cpu, cpuLimit: cpu!, memoryLimit: memory! }, settings);
}

function linuxResources({ cpuRequest, cpuLimit, memoryLimit }: Amounts, settings: RuntimeSettings): LinuxResources {
  const period = settings.cpuCFSQuotaPeriodMicroseconds;
  return {
    // A container with a limit and no request requests its limit.
    cpuShares: milliCpuToShares((cpuRequest ?? cpuLimit).milliValue()),
    memoryLimitInBytes: memoryLimit.value(),
    ...(settings.cpuCFSQuota && { cpuPeriod: period, cpuQuota: milliCpuToQuota(cpuLimit.milliValue(), period) }),
    ...(settings.isCgroupV2 && !settings.singleProcessOOMKill && { unified: { 'memory.oom.group': '1' } }),
  };
}

/** Returns a limit for each size of huge pages. It is 0 for sizes without a limit in the container or pod. */
function hugepageLimits(pod: Pod, resources: ResourceRequirements, settings: RuntimeSettings): HugepageLimit[] {
  const limits = { ...pod.spec?.resources?.limits, ...resources.limits };
  const bytesOf = (pageSize: string): number => {
    for (const [name, amount] of Object.entries(limits)) {
      const size = /^hugepages-(.+)$/.exec(name)?.[1];
      if (size !== undefined && pageSizeText(Quantity.parse(size).value()) === pageSize) {
        return Quantity.parse(amount).value();
      }
    }
    return 0;
  };
  return settings.hugePageSizes.map((pageSize) => ({ pageSize, limit: bytesOf(pageSize) }));
}

const firstNonZero = (...texts: readonly (string | undefined)[]): Quantity => {
  const zero = Quantity.parse('0');
  return texts.map((text) => (text === undefined ? zero : Quantity.parse(text))).find((it) => !it.isZero()) ?? zero;
};
