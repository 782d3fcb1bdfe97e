import type { Container, Pod, ResourceRequirements } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { containerLimits } from '../runtime/linux-resources.ts';
import type { RuntimeContainer } from '../runtime/runtime-pod.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';

const resizable = ['cpu', 'memory'] as const;

/** Decides how a running container gets the resources of its spec. Returns undefined if it has them. */
export type ResizeOf = (container: Container, running: RuntimeContainer) => 'in-place' | 'by-restart' | undefined;

/** Returns the decisions for a pod's containers, from the difference between their specs and their cgroups. */
export const resizesOf =
  (pod: Pod, settings: RuntimeSettings): ResizeOf =>
  (container, running) => {
    if (!running.resources) return undefined;
    const { cpuShares, cpuQuota = 0, memoryLimitInBytes } = containerLimits(pod, container, settings);
    const has = running.resources;
    const memoryRequest = Quantity.parse(container.resources?.requests?.memory ?? '0').value();
    const changed: string[] = [];
    if (cpuShares !== has.cpuShares || cpuQuota !== has.cpuQuota) changed.push('cpu');
    const isSameRequest = has.memoryRequestBytes === undefined || has.memoryRequestBytes === memoryRequest;
    if (memoryLimitInBytes !== has.memoryLimitBytes || !isSameRequest) changed.push('memory');
    if (changed.length === 0) return undefined;
    const restarts = container.resizePolicy?.some(
      ({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.includes(resourceName),
    );
    return restarts ? 'by-restart' : 'in-place';
  };

/** Returns which of `cpu` and `memory` differ between the two. */
export function changedResources(before: ResourceRequirements, after: ResourceRequirements): string[] {
  const isSame = (a: string | undefined, b: string | undefined): boolean =>
    a === b || (a !== undefined && b !== undefined && Quantity.parse(a).equals(Quantity.parse(b)));
  return resizable.filter(
    (name) =>
      !isSame(before.requests?.[name], after.requests?.[name]) || !isSame(before.limits?.[name], after.limits?.[name]),
  );
}
