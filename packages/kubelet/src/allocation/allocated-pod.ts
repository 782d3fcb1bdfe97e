import type { Container, ContainerStatus, Pod, PodSpec, ResourceRequirements } from '@coxswain/api/core/v1';
import { changedResources } from '../containers/resize.ts';

/** Returns whether both request the same CPU and memory, the only resources that can be resized. */
export function hasSameResources(a: PodSpec, b: PodSpec): boolean {
  if (a === b) return true;
  const isSame = (x: ResourceRequirements = {}, y: ResourceRequirements = {}): boolean =>
    changedResources(x, y).length === 0;
  return (
    isSame(a.resources, b.resources) &&
    resizable(a).every((container) => {
      const other = resizable(b).find(({ name }) => name === container.name);
      return !other || isSame(container.resources, other.resources);
    })
  );
}

/** Returns the pod with the resources of the other spec. */
export function withResourcesOf(pod: Pod, allocated: PodSpec): Pod {
  const { resources: _, ...spec } = pod.spec!;
  const sized = (container: Container): Container => {
    const known = resizable(allocated).find(({ name }) => name === container.name);
    return known ? { ...container, resources: known.resources ?? {} } : container;
  };
  return {
    ...pod,
    spec: {
      ...spec,
      ...(allocated.resources && { resources: allocated.resources }),
      containers: spec.containers.map(sized),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(sized) }),
    },
  };
}

/** Returns the pod's spec with the resources that its status reports as allocated. */
export function allocatedByStatus({ spec, status }: Pod): PodSpec {
  const sized = (statuses: readonly ContainerStatus[] | null | undefined) => (container: Container) => {
    const told = statuses?.find(({ name }) => name === container.name);
    if (!told?.resources) return container;
    const { allocatedResources: requests, resources } = told;
    return { ...container, resources: { ...resources, ...(requests && { requests }) } };
  };
  return {
    ...spec!,
    containers: spec!.containers.map(sized(status?.containerStatuses)),
    ...(spec!.initContainers && { initContainers: spec!.initContainers.map(sized(status?.initContainerStatuses)) }),
  };
}

/** Returns the containers whose resources can be changed: all but ephemeral ones. */
export const resizable = ({ initContainers, containers }: PodSpec): Container[] => [
  ...(initContainers ?? []),
  ...containers,
];
