import type { Node, Pod, Service } from '@coxswain/api/core/v1';
import type { Endpoint, EndpointPort, EndpointSlice } from '@coxswain/api/discovery/v1';
import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { type IPFamily, isEndpoint } from '../framework/services/pod-endpoints.ts';
import { endpointKey, podEndpoint } from './endpoint.ts';
import { endpointPorts, inOrder, portsKey } from './endpoint-ports.ts';
import { packEndpoints } from './pack-endpoints.ts';
import { isOwnedBy, isPlaceholder, newSlice, newSliceLabels } from './slice-metadata.ts';
import { addPlan, emptyPlan, groupBy, type SlicePlan } from './slice-plan.ts';

/** Returns the IP families of the service. */
export function addressTypes({ spec }: Service): IPFamily[] {
  const families = spec?.ipFamilies?.filter((family) => family !== '') ?? [];
  if (families.length > 0) return families;
  // Old servers do not set `ipFamilies`.
  const clusterIP = spec?.clusterIP ?? '';
  if (clusterIP === '' || clusterIP === 'None') return ['IPv4', 'IPv6'];
  const bytes = parseIPSloppy(clusterIP)?.bytes;
  return bytes && !isIPv4(bytes) ? ['IPv6'] : ['IPv4'];
}

export interface ServiceState {
  readonly service: Service;
  /** All pods that the service selects. */
  readonly pods: readonly Pod[];
  readonly addressType: IPFamily;
  /** The service's slices of that address type. */
  readonly existing: readonly EndpointSlice[];
  nodeOf(pod: Pod): Node | undefined;
  readonly maxEndpointsPerSlice: number;
}

/** Plans the slices of a service for one address type, without hints. Returns the problems of pods that were skipped. */
export function planSlices(state: ServiceState): { plan: SlicePlan; problems: string[] } {
  const { service, addressType, existing, maxEndpointsPerSlice } = state;
  const { groups, problems } = desiredGroups(state);
  const plan = emptyPlan();
  // Slices of an earlier service of that name are deleted and not reused.
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

  // A service without endpoints has one empty slice, so that watchers know that they are up to date.
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

/** Groups the endpoints by their ports, because all endpoints of a slice share its ports. A named port may differ between pods. */
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
      // The pod will soon be deleted or its node will appear. The problem causes a retry but does not affect other pods.
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
