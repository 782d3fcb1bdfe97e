import type { Container, ResourceRequirements } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { minCpuShares, minMilliCpuLimit, quotaToMilliCpu, sharesToMilliCpu } from '../runtime/cpu-shares.ts';
import type { RuntimeContainer } from '../runtime/runtime-pod.ts';

type Amounts = Record<string, string>;

/** Returns the resources of a container: what it was given, and of CPU and memory what its cgroup has while it runs. */
export function statusResources({ resources = {} }: Container, container: RuntimeContainer): ResourceRequirements {
  const { resources: actual } = container;
  if (container.state !== 'Running' || !actual) return resources;
  const milliCpuOf = (amounts: Amounts): number => Quantity.parse(amounts.cpu ?? '0').milliValue();
  const limits = resources.limits && { ...resources.limits };
  const requests = resources.requests && { ...resources.requests };
  if (limits) {
    const milliCpu = quotaToMilliCpu(actual.cpuQuota, actual.cpuPeriod);
    // Limits that are too small to make a difference are reported as they were given.
    const isTiny = milliCpu <= minMilliCpuLimit && milliCpuOf(limits) <= minMilliCpuLimit;
    if (milliCpu > 0 && !isTiny) setAmount(limits, 'cpu', Quantity.parse(`${milliCpu}m`));
    if (actual.memoryLimitBytes > 0) setAmount(limits, 'memory', Quantity.parse(String(actual.memoryLimitBytes)));
  }
  if (requests) {
    const milliCpu = sharesToMilliCpu(actual.cpuShares);
    const isTiny = milliCpu <= minCpuShares && milliCpuOf(requests) <= minCpuShares;
    if (milliCpu > 0 && !isTiny) setAmount(requests, 'cpu', Quantity.parse(`${milliCpu}m`));
  }
  return { ...resources, ...(limits && { limits }), ...(requests && { requests }) };
}

/** Keeps the way in which an amount was written if it is the same. */
function setAmount(amounts: Amounts, name: string, amount: Quantity): void {
  if (amounts[name] !== undefined && Quantity.parse(amounts[name]).equals(amount)) return;
  amounts[name] = String(amount);
}
