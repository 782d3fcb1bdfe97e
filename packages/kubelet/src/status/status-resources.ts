import type { Container, ResourceRequirements } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { minCpuShares, minMilliCpuLimit, quotaToMilliCpu, sharesToMilliCpu } from '../runtime/cpu-shares.ts';
import type { RuntimeContainer } from '../runtime/runtime-pod.ts';

type Amounts = Record<string, string>;

/** Returns the resources for a container's status: those of its spec, with CPU and memory as in its cgroup while it runs. */
export function statusResources(spec: Container, container: RuntimeContainer): ResourceRequirements {
  const resources = spec.resources ?? {};
  const { resources: actual } = container;
  if (container.state !== 'Running' || !actual) return resources;
  const milliCpuOf = (amounts: Amounts): number => Quantity.parse(amounts.cpu ?? '0').milliValue();
  const limits = resources.limits && { ...resources.limits };
  const requests = resources.requests && { ...resources.requests };
  if (limits) {
    const milliCpu = quotaToMilliCpu(actual.cpuQuota, actual.cpuPeriod);
    // A limit at or below the lowest effective one is reported as in the spec.
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

/** Sets an amount. An equal amount keeps its notation, such as `0.5` instead of `500m`. */
function setAmount(amounts: Amounts, name: string, amount: Quantity): void {
  if (amounts[name] !== undefined && Quantity.parse(amounts[name]).equals(amount)) return;
  amounts[name] = String(amount);
}
