import type { Container, ResourceRequirements } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';

const resizable = ['cpu', 'memory'] as const;

/** How a container that runs comes to the resources that it asks for now; undefined when it has them. */
export function resizeOf(container: Container, running: RuntimeContainer): 'in-place' | 'by-restart' | undefined {
  if (!running.resources) return undefined;
  const changed = changedResources(running.resources, container.resources ?? {});
  if (changed.length === 0) return undefined;
  const restarts = container.resizePolicy?.some(
    ({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.includes(resourceName),
  );
  return restarts ? 'by-restart' : 'in-place';
}

/** Those of CPUs and memory that differ. */
export function changedResources(before: ResourceRequirements, after: ResourceRequirements): string[] {
  const isSame = (a: string | undefined, b: string | undefined): boolean =>
    a === b || (a !== undefined && b !== undefined && Quantity.parse(a).equals(Quantity.parse(b)));
  return resizable.filter(
    (name) =>
      !isSame(before.requests?.[name], after.requests?.[name]) || !isSame(before.limits?.[name], after.limits?.[name]),
  );
}
