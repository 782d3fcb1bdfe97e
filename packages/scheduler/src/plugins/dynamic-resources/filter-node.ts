import type { Node, Pod } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import { UnusableNodeError } from './allocator/allocator.ts';
import { isBindingOverdue, isReadyForBinding } from './binding-conditions.ts';
import type { DeviceClasses } from './device-classes.ts';
import { type ExtendedRequests, extendedRequests, mayBeDevice } from './extended-resources.ts';
import { extendedClaimIn, isAllocated, type NodeAllocation, type PodDevices, toAllocate } from './pod-devices.ts';
import { type SearchDeadline, SearchTimeout } from './search-deadline.ts';

export interface FilterOptions {
  readonly classes: DeviceClasses;
  readonly deadline: SearchDeadline;
  readonly bindingTimeoutMs: number;
  readonly now: () => number;
}

/**
 * Checks that the node can use the devices allocated to the pod's claims, and has devices for the other claims. Stores the possible
 * allocation in `devices.byNode`.
 */
export function filterNode(
  devices: PodDevices,
  pod: PodInfo,
  nodeInfo: NodeInfo,
  options: FilterOptions,
): Status | undefined {
  const { node } = nodeInfo;
  if (!node) return undefined;
  const extended = extendedOn(devices, pod, nodeInfo, options.classes);
  if (extended instanceof Status) return extended;
  // Device plug-ins of the node provide everything that is requested.
  if (!extended && devices.userClaims === 0) return undefined;
  const unavailable = unavailableOn(devices, node, options);
  const found = devices.allocator && allocate(devices, extended, node, options);
  if (found instanceof Status) return found;
  if (unavailable.length > 0) {
    for (const index of unavailable) devices.unavailable.add(index);
    return Status.unresolvable('resourceclaim not available on the node');
  }
  if (found) devices.byNode.set(node.metadata.name ?? '', found);
  return undefined;
}

/** The indexes of allocated claims whose devices the node cannot use, or whose binding conditions have failed. */
function unavailableOn({ claims, infos }: PodDevices, node: Node, options: FilterOptions): number[] {
  return claims.flatMap((claim, index) => {
    const { isAvailableOn } = infos[index]!;
    const isAvailable =
      (!isAvailableOn || isAvailableOn(node)) && !(isAllocated(claim) && isBindingLost(claim, options));
    return isAvailable ? [] : [index];
  });
}

function isBindingLost(claim: ResourceClaim, { bindingTimeoutMs, now }: FilterOptions): boolean {
  try {
    return !isReadyForBinding(claim) && isBindingOverdue(claim, bindingTimeoutMs, now());
  } catch {
    return true;
  }
}

interface ExtendedOnNode extends ExtendedRequests {
  readonly claim: ResourceClaim;
}

/**
 * Returns the devices that the node would have to provide for extended resources; undefined when none are needed, a status when it cannot.
 */
function extendedOn(
  devices: PodDevices,
  { pod, resources }: PodInfo,
  { allocatable }: NodeInfo,
  classes: DeviceClasses,
): ExtendedOnNode | Status | undefined {
  const claim = extendedClaimIn(devices);
  if (!claim) return undefined;
  // The claim is left from a failed attempt. PostFilter deletes it, and the next attempt creates a new one.
  if (claim.spec.devices?.requests) return Status.unresolvable('cannot schedule extended resource claim');
  const asDevices: string[] = [];
  for (const [name, amount] of resources.requests.scalar ?? []) {
    if (amount === 0 || !mayBeDevice(name)) continue;
    if (allocatable.get(name) === 0 && classes.forResource(name)) asDevices.push(name);
    else if (!allocatable.scalar?.has(name)) return Status.unresolvable('cannot fit resource');
  }
  // Differs from upstream: when the pod has other claims, upstream would request a claim without devices, and the pod would never be bound.
  if (asDevices.length === 0) return undefined;
  return withClaim(
    claim,
    extendedRequests(pod, asDevices, (name) => classes.forResource(name)?.metadata.name),
  );
}

const withClaim = (claim: ResourceClaim, extended: ExtendedRequests): ExtendedOnNode => ({
  ...extended,
  claim: { ...claim, spec: { devices: { requests: [...extended.requests] } } },
});

function allocate(
  devices: PodDevices,
  extended: ExtendedOnNode | undefined,
  node: Node,
  { deadline }: FilterOptions,
): NodeAllocation | Status {
  const extendedClaim = extendedClaimIn(devices);
  const claims = toAllocate(devices).flatMap((index) => {
    const claim = devices.claims[index]!;
    return claim === extendedClaim ? (extended?.claim ?? []) : claim;
  });
  try {
    deadline.start();
    const found = devices.allocator?.allocate(node, claims);
    if (!found) return Status.unresolvable('cannot allocate all claims');
    return { results: once(found), extendedClaim: extended?.claim, mappings: extended?.mappings ?? [] };
  } catch (error) {
    if (error instanceof UnusableNodeError) return Status.unresolvable(error.message);
    if (!(error instanceof SearchTimeout)) return Status.failed(error);
    return Status.failed(new Error(`node ${node.metadata.name}: timed out trying to allocate devices`));
  }
}

/** Computes the value on first use: usually another node is selected, and the result is not needed. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Scores how preferable the allocated alternatives are: earlier alternatives score higher. */
export function scoreNode(devices: PodDevices, nodeName: string): number {
  const found = devices.byNode.get(nodeName);
  if (!found) return 0;
  const results = found.results();
  let score = 0;
  let at = 0;
  for (const claim of devices.claims) {
    const allocation = claim.status?.allocation ?? results[at++];
    const given = new Set(allocation?.devices?.results?.map(({ request }) => request));
    for (const { name, exactly, firstAvailable } of claim.spec.devices?.requests ?? []) {
      if (exactly) continue;
      (firstAvailable ?? []).forEach((option, i) => {
        if (given.has(`${name}/${option.name}`)) score += maxAlternatives - i;
      });
    }
  }
  return score;
}

/** The maximum number of alternatives of a request. */
const maxAlternatives = 8;

/** Whether scores of nodes can differ at all. */
export const hasAlternatives = ({ claims }: PodDevices): boolean =>
  claims.some(({ spec }) => spec.devices?.requests?.some(({ firstAvailable }) => firstAvailable?.length));

/** Whether the pod's spec may need devices. */
export const mayNeedDevices = ({ spec }: Pod): boolean =>
  (spec?.resourceClaims?.length ?? 0) > 0 ||
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some(({ resources }) =>
    Object.keys(resources?.requests ?? {}).some(mayBeDevice),
  );
