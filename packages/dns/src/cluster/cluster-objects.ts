import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { Namespace, Pod, Service } from '@coxswain/api/core/v1';
import { canonicalAddress } from '../wire/index.ts';

/**
 * The parts of the cluster's objects that appear in names and records. Everything else is dropped when an object is received: 10,000 Services would otherwise
 * take more memory than the rest of the process.
 */
export interface NamedPort {
  /** -1 when there are no ports: such an entry has addresses and no SRV records. */
  readonly port: number;
  /** In lower case. */
  readonly name: string;
  /** In lower case: `tcp`, `udp`, `sctp`. */
  readonly protocol: string;
}

export interface ServiceInfo {
  readonly name: string;
  readonly namespace: string;
  /** Set for a Service of the type ExternalName. */
  readonly externalName?: string;
  /** Empty for a headless Service. */
  readonly clusterIPs: readonly string[];
  readonly isHeadless: boolean;
  readonly ports: readonly NamedPort[];
}

export interface EndpointInfo {
  readonly address: string;
  /** The `hostname` of the endpoint, or an empty string. */
  readonly hostname: string;
  /** The name of the pod, or an empty string when there is none or it is no label. */
  readonly podName: string;
}

/** The ready endpoints of an EndpointSlice. Slices list endpoints that are not ready as ready when the Service has `publishNotReadyAddresses`. */
export interface SliceInfo {
  readonly service: string;
  readonly namespace: string;
  readonly endpoints: readonly EndpointInfo[];
  readonly ports: readonly NamedPort[];
}

export interface PodInfo {
  readonly namespace: string;
  readonly addresses: readonly string[];
}

const serviceNameLabel = 'kubernetes.io/service-name';

const noPorts: readonly NamedPort[] = [{ port: -1, name: '', protocol: '' }];

/** Most Services and slices have the same few sets of ports: equal ones are one object. Bounded by emptying it. */
const knownPorts = new Map<string, readonly NamedPort[]>();
const maxKnownPorts = 1000;

function sharedPorts(ports: readonly NamedPort[]): readonly NamedPort[] {
  if (ports.length === 0) return noPorts;
  const key = ports.map(({ port, name, protocol }) => `${port}/${name}/${protocol}`).join(' ');
  const known = knownPorts.get(key);
  if (known) return known;
  if (knownPorts.size >= maxKnownPorts) knownPorts.clear();
  knownPorts.set(key, ports);
  return ports;
}

interface AnyPort {
  readonly port?: number | null | undefined;
  readonly name?: string | null | undefined;
  readonly protocol?: string | null | undefined;
}

const portsOf = (ports: readonly AnyPort[] | null | undefined): readonly NamedPort[] =>
  sharedPorts(
    (ports ?? []).map(({ port, name, protocol }) => ({
      port: port ?? -1,
      name: (name ?? '').toLowerCase(),
      protocol: (protocol ?? '').toLowerCase(),
    })),
  );

export function serviceInfo({ metadata, spec }: Service): ServiceInfo {
  const { clusterIP = '', clusterIPs, type, externalName = '', ports } = spec ?? {};
  const given = clusterIPs && clusterIPs.length > 0 ? clusterIPs : [clusterIP];
  const isHeadless = given[0] === 'None';
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    ...(type === 'ExternalName' && { externalName }),
    clusterIPs: isHeadless ? [] : given.filter((address) => address !== ''),
    isHeadless,
    ports: portsOf(ports),
  };
}

/** `hasPodNames`: whether names of pods are needed. */
export function sliceInfo({ metadata, endpoints, ports }: EndpointSlice, hasPodNames: boolean): SliceInfo {
  return {
    service: metadata.labels?.[serviceNameLabel] ?? '',
    namespace: metadata.namespace ?? '',
    endpoints: (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses, hostname, targetRef }) =>
        (addresses ?? []).map((address) => ({
          address,
          hostname: hostname ?? '',
          podName: hasPodNames && !longerThanLabel(targetRef?.name) ? (targetRef?.name ?? '') : '',
        })),
      ),
    ports: portsOf(ports),
  };
}

const longerThanLabel = (name: string | null | undefined): boolean => (name ?? '').length > 63;

/** Returns undefined for a pod that is being deleted. */
export function podInfo({ metadata, status }: Pod): PodInfo | undefined {
  if (metadata.deletionTimestamp) return undefined;
  const addresses = (status?.podIPs ?? []).map(({ ip }) => canonicalAddress(ip ?? '') ?? '');
  return { namespace: metadata.namespace ?? '', addresses: addresses.filter((address) => address !== '') };
}

export const namespaceName = ({ metadata }: Namespace): string => metadata.name ?? '';
