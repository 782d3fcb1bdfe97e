import { type ErrorList, forbidden, invalid, ownEntry, Path } from '@coxswain/apimachinery';
import type { FeatureGates } from '../../../../features/feature-gates.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../../generated/core/v1.ts';
import type { ResourceList } from '../../resources/resource-requirements.ts';
import { containersOf, emptyPodSpec } from '../containers.ts';
import { isMirrorPod, refusePod } from '../mirror-pod.ts';
import { validatePodMetadataAndSpec } from '../pod-validation.ts';
import { computePodQOS, podQOS } from '../resources/pod-qos.ts';
import { isRestartableInitContainer } from '../resources/pod-resources.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { sameContainer, samePodSpec, sameResources } from './same-pod-spec.ts';

const specPath = Path.of('spec');
const lists = ['containers', 'initContainers'] as const;

const namesOf = (containers: readonly Container[] | undefined): string[] => (containers ?? []).map(({ name }) => name);

/**
 * Returns the old spec with the resources and resize policies of the new one. If containers were added, removed,
 * renamed or reordered, the new containers are kept for validation to refuse.
 */
export function resizedSpec(spec: PodSpec, old: PodSpec, features: FeatureGates): PodSpec {
  if (lists.some((list) => (spec[list] ?? []).length !== (old[list] ?? []).length)) return spec;
  const resized = (containers: readonly Container[], before: readonly Container[]): Container[] =>
    containers.map((container, i) => {
      const { resources, resizePolicy } = container;
      const { resizePolicy: _, ...rest } = before[i]!;
      return { ...rest, resources: resources ?? {}, ...(resizePolicy && { resizePolicy }) };
    });
  const result: PodSpec = { ...old };
  for (const list of lists) {
    const containers = spec[list];
    if (!containers) continue;
    const renamed = containers.some(({ name }, i) => name !== old[list]![i]!.name);
    result[list] = renamed ? containers : resized(containers, old[list]!);
  }
  if (features.enabled('InPlacePodLevelResourcesVerticalScaling')) {
    if (spec.resources) result.resources = spec.resources;
    else delete result.resources;
  }
  return result;
}

const hasEntries = (list: ResourceList | undefined): boolean => list !== undefined && Object.keys(list).length > 0;
const asksForResources = ({ resources }: PodSpec): boolean =>
  hasEntries(resources?.requests) || hasEntries(resources?.limits);

/** Validates a resize of a pod's and its containers' resources. */
export function validatePodResize(pod: Pod, old: Pod, options: PodValidationOptions): ErrorList {
  const { spec = emptyPodSpec } = pod;
  const { spec: oldSpec = emptyPodSpec } = old;
  if (isMirrorPod(old.metadata)) return refusePod('static pods cannot be resized');
  if (oldSpec.os?.name === 'windows') return refusePod('windows pods cannot be resized');
  const errors = validatePodMetadataAndSpec(pod, options);
  const podLevelResources = options.features.enabled('PodLevelResources');
  if (podQOS(old) !== computePodQOS(spec, podLevelResources)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    errors.push(invalid(specPath, pod.status?.qosClass ?? '', detail));
  }
  if (!isResizeSupported(old)) errors.push(forbidden(specPath, 'Pod running on node without support for resize'));
  let rest: PodSpec = spec;
  if (asksForResources(oldSpec) || asksForResources(spec)) {
    if (!options.features.enabled('InPlacePodLevelResourcesVerticalScaling')) {
      const detail =
        'resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled';
      return [...errors, ...refusePod(detail)];
    }
    validatePodLevelResize(spec, oldSpec, errors);
    if (!(oldSpec.resources && !spec.resources)) {
      const { resources: _, ...others } = rest;
      const resources = withOldCpuAndMemory(spec.resources, oldSpec.resources);
      rest = resources ? { ...others, resources } : others;
    }
  }
  if ((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0)
    errors.push(forbidden(specPath, 'pods with node allocatable resource claims cannot be resized'));
  const before = errors.length;
  validateContainerOrder(spec, oldSpec, errors);
  if (errors.length > before) return errors;
  validateContainerResizes(spec, oldSpec, options.features, errors);
  if (errors.length > 0) return errors;
  const unresized = (list: (typeof lists)[number]): Container[] =>
    (spec[list] ?? []).map((container, i) => asBefore(container, oldSpec[list]![i]!));
  rest = { ...rest, containers: unresized('containers') };
  if (spec.initContainers) rest.initContainers = unresized('initContainers');
  return samePodSpec(rest, oldSpec) ? [] : [forbidden(specPath, 'only cpu and memory resources are mutable')];
}

/** Reports whether the node supports resizing: running containers then have resources in their status. */
function isResizeSupported({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running);
  return !running || running.resources !== undefined;
}

const isRemoved = (list: ResourceList | undefined, old: ResourceList | undefined): boolean =>
  Object.keys(old ?? {}).some((name) => ownEntry(list, name) === undefined);

function validatePodLevelResize({ resources }: PodSpec, { resources: old }: PodSpec, errors: ErrorList): void {
  const path = specPath.child('resources');
  if (old && !resources) {
    errors.push(forbidden(path, 'pod-level resources cannot be removed'));
    return;
  }
  for (const list of ['requests', 'limits'] as const)
    if (isRemoved(resources?.[list], old?.[list]))
      errors.push(forbidden(path.child(list), `pod-level resource ${list} cannot be removed`));
  if (!sameResources(withOldCpuAndMemory(resources, old), old))
    errors.push(forbidden(specPath, 'only cpu and memory resources are mutable at pod-level'));
}

/** Returns the resources with the old cpu and memory. Undefined if nothing else is set and there were no old resources. */
function withOldCpuAndMemory(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  if (!resources) return undefined;
  const limits = withOldAmounts(resources.limits, old?.limits);
  const requests = withOldAmounts(resources.requests, old?.requests);
  const { claims } = resources;
  if (!old && !hasEntries(limits) && !hasEntries(requests) && !claims) return undefined;
  return { ...(limits && { limits }), ...(requests && { requests }), ...(claims && { claims }) };
}

function withOldAmounts(
  list: ResourceList | undefined,
  old: ResourceList | undefined,
): Record<string, string> | undefined {
  const others = Object.entries(list ?? {}).filter(([name]) => name !== 'cpu' && name !== 'memory');
  const kept = Object.entries(old ?? {}).filter(([name]) => name === 'cpu' || name === 'memory');
  const result = [...others, ...kept];
  return result.length > 0 ? Object.fromEntries(result) : undefined;
}

/** Returns the container with the old cpu and memory, and without claims. */
function asBefore(container: Container, old: Container): Container {
  const { claims: _, ...amounts } = container.resources ?? {};
  const { claims: __, ...oldAmounts } = old.resources ?? {};
  return { ...container, resources: withOldCpuAndMemory(amounts, oldAmounts) ?? {} };
}

function validateContainerOrder(spec: PodSpec, old: PodSpec, errors: ErrorList): void {
  for (const list of lists) {
    const names = namesOf(spec[list]);
    const oldNames = namesOf(old[list]);
    const path = specPath.child(list);
    if (names.length !== oldNames.length) errors.push(forbidden(path, `${list} may not be added or removed on resize`));
    else
      oldNames.forEach((name, i) => {
        if (names[i] !== name)
          errors.push(forbidden(path.index(i).child('name'), `${list} may not be renamed or reordered on resize`));
      });
  }
}

function validateContainerResizes(spec: PodSpec, old: PodSpec, features: FeatureGates, errors: ErrorList): void {
  const initContainersResize = features.enabled('InPlacePodVerticalScalingInitContainers');
  const canResize = (container: Container) => initContainersResize || isRestartableInitContainer(container);
  const checkRemoved = (list: (typeof lists)[number]) =>
    (old[list] ?? []).forEach(({ resources: before, ...container }, i) => {
      if (list === 'initContainers' && !canResize(container)) return;
      const path = specPath.child(list).index(i).child('resources');
      const { resources } = spec[list]![i]!;
      for (const amounts of ['requests', 'limits'] as const)
        if (isRemoved(resources?.[amounts], before?.[amounts]))
          errors.push(forbidden(path.child(amounts), `resource ${amounts} cannot be removed`));
    });
  checkRemoved('initContainers');
  checkRemoved('containers');
  containersOf(spec).forEach((container, i) => {
    if (!sameContainer(asBefore(container, old.containers[i]!), old.containers[i]!))
      errors.push(forbidden(specPath, 'only cpu and memory resources are mutable'));
  });
  spec.initContainers?.forEach((container, i) => {
    const before = old.initContainers![i]!;
    const path = specPath.child('initContainers').index(i);
    const modified = !sameContainer(container, before);
    if (!canResize(container)) {
      if (modified) errors.push(forbidden(specPath, 'resources for non-sidecar init containers are immutable'));
      return;
    }
    if (!sameContainer(asBefore(container, before), before))
      errors.push(forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'));
    if (modified && !isRestartableInitContainer(container))
      for (const { restartPolicy } of container.resizePolicy ?? [])
        if (restartPolicy === 'RestartContainer')
          errors.push(
            forbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'),
          );
  });
}
