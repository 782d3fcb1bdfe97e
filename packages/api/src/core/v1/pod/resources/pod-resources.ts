import { type ErrorList, forbidden, invalid, ownEntry, type Path, Quantity } from '@coxswain/apimachinery';
import type { Container, Pod, PodSpec } from '../../../../generated/core/v1.ts';
import { sortedEntries } from '../../checks.ts';
import { compareAmounts } from '../../resources/amount.ts';
import { isHugePageResourceName, isSupportedPodLevelResource } from '../../resources/resource-name.ts';
import {
  type ResourceList,
  type ResourceRequirementsOptions,
  validatePodResourceRequirements,
} from '../../resources/resource-requirements.ts';
import { containersOf } from '../containers.ts';

type Amounts = Map<string, Quantity>;

function addTo(amounts: Amounts, list: ResourceList | Amounts | undefined): Amounts {
  if (!list) return amounts;
  for (const [name, value] of list instanceof Map ? list : Object.entries(list)) {
    const quantity = typeof value === 'string' ? Quantity.parse(value) : value;
    const known = amounts.get(name);
    amounts.set(name, known ? known.add(quantity) : quantity);
  }
  return amounts;
}

function raiseTo(amounts: Amounts, least: Amounts): void {
  for (const [name, quantity] of least) {
    const known = amounts.get(name);
    if (!known || quantity.cmp(known) > 0) amounts.set(name, quantity);
  }
}

/** Reports whether the container is a sidecar: an init container that keeps running beside the others. */
export const isRestartableInitContainer = (container: Pick<Container, 'restartPolicy'> | undefined): boolean =>
  container?.restartPolicy === 'Always';

/**
 * Aggregates an amount over all containers. Containers that run at the same time are added up. The result is at least
 * the amount of any init container together with the sidecars started before it.
 */
function aggregate(spec: PodSpec, listOf: (container: Container) => ResourceList | undefined): Amounts {
  const total: Amounts = new Map();
  for (const container of containersOf(spec)) addTo(total, listOf(container));
  const sidecars: Amounts = new Map();
  const initMost: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const list = listOf(container);
    if (isRestartableInitContainer(container)) {
      addTo(total, list);
      raiseTo(initMost, addTo(sidecars, list));
    } else raiseTo(initMost, addTo(addTo(new Map(), list), sidecars));
  }
  raiseTo(total, initMost);
  return total;
}

/** Returns the aggregated requests of all containers. */
export const aggregateContainerRequests = (spec: PodSpec): Map<string, Quantity> =>
  aggregate(spec, ({ resources }) => resources?.requests);

/**
 * Returns the resources that a pod occupies on a node: pod-level requests, or else the aggregated ones of its
 * containers, plus the overhead.
 */
export function podRequests({ spec }: Pod): Map<string, Quantity> {
  if (!spec) return new Map();
  const requests = aggregateContainerRequests(spec);
  for (const [name, text] of Object.entries(spec.resources?.requests ?? {}))
    if (isSupportedPodLevelResource(name)) requests.set(name, Quantity.parse(text));
  return addTo(requests, spec.overhead);
}

/** Returns the limits of a pod: those that it sets for itself, and otherwise what its containers may use together. */
export function podLimits({ spec }: Pod): Map<string, Quantity> {
  if (!spec) return new Map();
  const limits = aggregateContainerLimits(spec);
  for (const [name, text] of Object.entries(spec.resources?.limits ?? {})) limits.set(name, Quantity.parse(text));
  return limits;
}

/** Returns the aggregated limits of all containers. */
export const aggregateContainerLimits = (spec: PodSpec): Map<string, Quantity> =>
  aggregate(spec, ({ resources }) => resources?.limits);

/** Validates `spec.resources`, and its consistency with the containers' resources. */
export function validatePodResources(
  spec: PodSpec,
  podClaimNames: ReadonlySet<string>,
  specPath: Path,
  options: ResourceRequirementsOptions,
  errors: ErrorList,
): void {
  const { resources } = spec;
  if (!resources) return;
  const path = specPath.child('resources');
  if (spec.os?.name === 'windows') {
    errors.push(forbidden(path, 'may not be set for a windows pod'));
    return;
  }
  if (resources.claims)
    errors.push(forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level'));
  validatePodResourceRequirements(resources, podClaimNames, path, options, errors);
  validateConsistency(spec, path, errors);
}

function validateConsistency(spec: PodSpec, path: Path, errors: ErrorList): void {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  const atLeast = (kind: 'requests' | 'limits', own: ResourceList, aggregated: Map<string, Quantity>) => {
    for (const [name, needed] of [...aggregated].sort()) {
      const text = ownEntry(own, name);
      if (text !== undefined && needed.cmp(Quantity.parse(text)) > 0) {
        const detail = `must be greater than or equal to aggregate container ${kind} of ${needed}`;
        errors.push(invalid(path.child(kind).key(name), text, detail));
      }
    }
  };
  atLeast('requests', requests, aggregateContainerRequests(spec));
  const hugePages = [...aggregateContainerLimits(spec)].filter(([name]) => isHugePageResourceName(name));
  atLeast('limits', limits, new Map(hugePages));
  containersOf(spec).forEach((container, i) => {
    for (const [name, text] of sortedEntries(container.resources?.limits)) {
      const podLimit = ownEntry(limits, name);
      if (podLimit !== undefined && compareAmounts(text, podLimit) > 0) {
        const at = path.child('containers').index(i).key(name).child('limits');
        errors.push(invalid(at, text, `must be less than or equal to pod limits of ${podLimit}`));
      }
    }
  });
}
