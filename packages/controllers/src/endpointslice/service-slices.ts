import type { Node, Pod, Service } from '@coxswain/api/core/v1';
import type { Endpoint, EndpointPort, EndpointSlice } from '@coxswain/api/discovery/v1';
import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { type IPFamily, isEndpoint } from '../framework/services/pod-endpoints.ts';
import { endpointKey, podEndpoint } from './endpoint.ts';
import { endpointPorts, inOrder, portsKey } from './endpoint-ports.ts';
import { packEndpoints } from './pack-endpoints.ts';
import { isOwnedBy, isPlaceholder, newSlice, newSliceLabels } from './slice-metadata.ts';
import { addPlan, emptyPlan, groupBy, type SlicePlan } from './slice-plan.ts';

/** The families of the addresses that the service is reached at. */
export function addressTypes({ spec }: Service): IPFamily[] {
  const families = spec?.ipFamilies?.filter((family) => family !== '') ?? [];
  if (families.length > 0) return families;
  // Servers from before there were families do not say.
  const clusterIP = spec?.clusterIP ?? '';
  if (clusterIP === '' || clusterIP === 'None') return ['IPv4', 'IPv6'];
  const bytes = parseIPSloppy(clusterIP)?.bytes;
  return bytes && !isIPv4(bytes) ? ['IPv6'] : ['IPv4'];
}

export interface ServiceState {
  readonly service: Service;
  /** All that it selects. */
  readonly pods: readonly Pod[];
  readonly addressType: IPFamily;
  /** Its slices with addresses of that type. */
  readonly existing: readonly EndpointSlice[];
  nodeOf(pod: Pod): Node | undefined;
  readonly maxEndpointsPerSlice: number;
}

/** What is to become of a service's slices with one type of addresses, hints left aside; and what stood in the way. */
export function planSlices(state: ServiceState): { plan: SlicePlan; problems: string[] } {
  const { service, addressType, existing, maxEndpointsPerSlice } = state;
  const { groups, problems } = desiredGroups(state);
  const plan = emptyPlan();
  // What an older service of that name has left is not touched, but for being deleted.
  plan.delete.push(...existing.filter((slice) => !isOwnedBy(slice, service)));
  const owned = existing.filter((slice) => isOwnedBy(slice, service));
  const existingByPorts = groupBy(owned, ({ ports }) => portsKey(ports));
  for (const [key, { ports, endpoints }] of groups) {
    const packed = packEndpoints({
      existing: existingByPorts.get(key) ?? [],
      desired: endpoints,
      maxEndpointsPerSlice,
      newLabels: (slice) => newSliceLabels(slice, service),
      newSlice: () => newSlice(service, addressType, inOrder(ports)),
    });
    addPlan(plan, packed);
  }
  for (const [key, slices] of existingByPorts) if (!groups.has(key)) plan.delete.push(...slices);

  // Even a service without endpoints has a slice, so that those who watch know that they are up to date.
  if (plan.create.length === 0 && plan.delete.length === existing.length) {
    const [only] = plan.delete;
    if (plan.delete.length === 1 && only && isPlaceholder(only, service)) plan.unchanged.push(...plan.delete.splice(0));
    else plan.create.push(newSlice(service, addressType, []));
  }
  return { plan, problems };
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

/** A slice's endpoints all have the same ports; by name, ports may be others on each pod. */
function desiredGroups({ service, pods, addressType, nodeOf }: ServiceState): {
  groups: Map<string, Group>;
  problems: string[];
} {
  const groups = new Map<string, Group>();
  const problems: string[] = [];
  const { namespace, name } = service.metadata;
  for (const pod of pods) {
    if (!isEndpoint(pod, true)) continue;
    const ports = endpointPorts(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group);
    const node = nodeOf(pod);
    if (!node && !service.spec?.publishNotReadyAddresses) {
      // It is soon deleted, or its node comes: it is tried again, and keeps no other pod waiting.
      problems.push(
        `skipping Pod ${pod.metadata.name} for Service ${namespace}/${name}: Node ${pod.spec?.nodeName ?? ''} Not Found`,
      );
      continue;
    }
    const endpoint = podEndpoint(pod, node, service, addressType);
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return { groups, problems };
}
