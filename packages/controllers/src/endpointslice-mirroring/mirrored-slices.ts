import type { EndpointAddress, Endpoints } from '@coxswain/api/core/v1';
import type { Endpoint, EndpointPort, EndpointSlice } from '@coxswain/api/discovery/v1';
import { equals } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, newControllerRef } from '@coxswain/apimachinery/meta';
import { formatIP, isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { repackSubsets } from '../endpoints/subsets.ts';
import { endpointKey, isSameEndpoint } from '../endpointslice/endpoint.ts';
import { inOrder, portsKey } from '../endpointslice/endpoint-ports.ts';
import {
  managedByLabel,
  serviceNameLabel,
  slicePrefix,
  triggerTimeAnnotation,
} from '../endpointslice/slice-metadata.ts';
import { emptyPlan, groupBy, type SlicePlan } from '../endpointslice/slice-plan.ts';
import type { IPFamily } from '../framework/services/pod-endpoints.ts';

/** The value of `managedByLabel` on slices that mirror Endpoints. */
export const managedByMirroring = 'endpointslicemirroring-controller.k8s.io';

export const endpointsKind = GroupVersionKind.of('', 'v1', 'Endpoints');

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

export interface MirroringPlan {
  readonly plan: SlicePlan;
  /** The number of invalid IP addresses. */
  readonly invalid: number;
  /** The number of addresses that were not mirrored, including invalid ones. */
  readonly skipped: number;
}

/**
 * Plans the slices that mirror the Endpoints: one for each subset and IP family, with at most `maxEndpointsPerSubset` addresses
 * per subset.
 */
export function planMirroring(
  endpoints: Endpoints,
  existing: readonly EndpointSlice[],
  maxEndpointsPerSubset: number,
): MirroringPlan {
  const { groups, invalid, skipped } = desiredGroups(endpoints, maxEndpointsPerSubset);
  const existingByKey = groupBy(existing, (slice) => groupKey(slice.addressType, slice.ports));
  const plan = emptyPlan();
  for (const [key, group] of groups) {
    const [first, ...others] = existingByKey.get(key) ?? [];
    existingByKey.delete(key);
    plan.delete.push(...others);
    if (group.endpoints.size === 0) {
      if (first) plan.delete.push(first);
    } else if (first && isUpToDate(first, group, endpoints)) plan.unchanged.push(first);
    else if (first) plan.update.push(mirroredSlice(endpoints, group, first.metadata.name));
    else plan.create.push(mirroredSlice(endpoints, group));
  }
  for (const slices of existingByKey.values()) plan.delete.push(...slices);
  return { plan, invalid, skipped };
}

interface Group {
  readonly addressType: IPFamily;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

const groupKey = (addressType: string, ports: readonly EndpointPort[] | null | undefined): string =>
  `${addressType} ${portsKey(ports)}`;

function desiredGroups(
  { subsets }: Endpoints,
  max: number,
): Omit<MirroringPlan, 'plan'> & { groups: Map<string, Group> } {
  const groups = new Map<string, Group>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses, notReadyAddresses, ports } of repackSubsets(subsets ?? [])) {
    const slicePorts = (ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
      name,
      port,
      protocol,
      ...(appProtocol !== undefined && { appProtocol }),
    }));
    const groupOf = (addressType: IPFamily): Group => {
      const key = groupKey(addressType, slicePorts);
      const group = groups.get(key) ?? { addressType, ports: slicePorts, endpoints: new Map<string, Endpoint>() };
      groups.set(key, group);
      return group;
    };
    let added = 0;
    const hosts = [
      ...(addresses ?? []).map((address) => ({ address, ready: true })),
      ...(notReadyAddresses ?? []).map((address) => ({ address, ready: false })),
    ];
    for (const { address, ready } of hosts) {
      if (added >= max) break;
      const mirrored = mirroredEndpoint(address, ready);
      if (mirrored) {
        groupOf(mirrored.addressType).endpoints.set(endpointKey(mirrored.endpoint), mirrored.endpoint);
        added++;
      } else invalid++;
    }
    skipped += hosts.length - added;
  }
  return { groups, invalid, skipped };
}

function mirroredEndpoint(
  { ip, nodeName, hostname, targetRef }: EndpointAddress,
  ready: boolean,
): { endpoint: Endpoint; addressType: IPFamily } | undefined {
  const bytes = parseIPSloppy(ip)?.bytes;
  if (!bytes) return undefined;
  const endpoint: Endpoint = {
    addresses: [formatIP(bytes)],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  };
  return { endpoint, addressType: isIPv4(bytes) ? 'IPv4' : 'IPv6' };
}

function isUpToDate({ metadata, endpoints: known }: EndpointSlice, { endpoints }: Group, source: Endpoints): boolean {
  const { [managedByLabel]: _, [serviceNameLabel]: __, ...labels } = metadata.labels ?? {};
  const { name, uid } = source.metadata;
  return (
    known?.length === endpoints.size &&
    known.every((endpoint) => {
      const desired = endpoints.get(endpointKey(endpoint));
      return desired !== undefined && isSameEndpoint(desired, endpoint);
    }) &&
    equals(labels, source.metadata.labels ?? {}) &&
    equals(metadata.annotations ?? {}, mirroredAnnotations(source)) &&
    // The owner is an earlier, deleted Endpoints object of that name.
    !metadata.ownerReferences?.some((owner) => owner.kind === 'Endpoints' && owner.name === name && owner.uid !== uid)
  );
}

/** Returns the slice for a group. Without `sliceName` the slice is a new one. */
function mirroredSlice(source: Endpoints, { addressType, ports, endpoints }: Group, sliceName?: string): EndpointSlice {
  const { name = '', namespace = '', labels } = source.metadata;
  return {
    metadata: {
      ...(sliceName === undefined ? { generateName: slicePrefix(name) } : { name: sliceName }),
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedByMirroring },
      annotations: mirroredAnnotations(source),
      ownerReferences: [newControllerRef(source, endpointsKind)],
    },
    addressType,
    endpoints: [...endpoints.values()],
    ports: inOrder(ports),
  };
}

function mirroredAnnotations({ metadata }: Endpoints): Record<string, string> {
  const { [triggerTimeAnnotation]: _, [lastAppliedAnnotation]: __, ...annotations } = metadata.annotations ?? {};
  return annotations;
}
