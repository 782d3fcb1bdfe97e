import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints, Pod, Service } from '@coxswain/api/core/v1';
import { equals } from '@coxswain/apimachinery/labels';
import { isIPv4, parseIPSloppy, semanticEqual } from '@coxswain/apimachinery/validation';
import { isPodReady } from '@coxswain/component-helpers';
import { triggerTimeAnnotation } from '../endpointslice/slice-metadata.ts';
import {
  hasHostname,
  type IPFamily,
  isEndpoint,
  isHeadless,
  podAddresses,
  targetPort,
} from '../framework/services/pod-endpoints.ts';
import { repackSubsets } from './subsets.ts';
import { truncateSubsets } from './truncate-subsets.ts';

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const managedBy = 'endpoint-controller';
const headlessLabel = 'service.kubernetes.io/headless';
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

/** Returns the untruncated subsets for a service with these pods. */
export function desiredSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const subsets: EndpointSubset[] = [];
  const { clusterIP, publishNotReadyAddresses = false } = service.spec ?? {};
  const ports = service.spec?.ports ?? [];
  for (const pod of pods) {
    const address = isEndpoint(pod, publishNotReadyAddresses) && podAddress(service, pod);
    if (!address) continue;
    const isReady = publishNotReadyAddresses || isPodReady(pod);
    const add = (ports: EndpointPort[]): void => {
      subsets.push({ [isReady ? 'addresses' : 'notReadyAddresses']: [address], ...(ports.length > 0 && { ports }) });
    };
    if (ports.length === 0 && clusterIP === 'None') add([]);
    for (const { name = '', protocol = 'TCP', appProtocol, ...port } of ports) {
      const number = targetPort(pod, { ...port, protocol });
      if (number === undefined) continue;
      add([{ ...(name && { name }), port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }]);
    }
  }
  return repackSubsets(subsets);
}

function podAddress(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = podAddresses(pod, familyOf(service, pod));
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return {
    ip,
    ...(hasHostname(pod, service) && { hostname: pod.spec?.hostname ?? '' }),
    ...(pod.spec?.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: {
      kind: 'Pod',
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
    },
  };
}

/** Endpoints contain addresses of one IP family: the service's first. Old servers do not set `ipFamilies`. */
function familyOf({ spec }: Service, pod: Pod): IPFamily {
  const [first] = spec?.ipFamilies ?? [];
  if (first) return first;
  const known = spec?.clusterIP && spec.clusterIP !== 'None' ? spec.clusterIP : pod.status?.podIP;
  const bytes = parseIPSloppy(known ?? '')?.bytes;
  return bytes && !isIPv4(bytes) ? 'IPv6' : 'IPv4';
}

/** Returns the Endpoints to write, or undefined when the current ones are up to date. */
export function updatedEndpoints(
  current: Endpoints | undefined,
  service: Service,
  { subsets, triggerTime }: { readonly subsets: readonly EndpointSubset[]; readonly triggerTime: string | undefined },
): Endpoints | undefined {
  const written = truncateSubsets(subsets);
  const overCapacity = written === subsets ? undefined : 'truncated';
  if (current && isUpToDate(current, service, { subsets: written, overCapacity })) return undefined;
  const {
    [triggerTimeAnnotation]: _,
    [overCapacityAnnotation]: __,
    ...annotations
  } = current?.metadata.annotations ?? {};
  if (triggerTime !== undefined) annotations[triggerTimeAnnotation] = triggerTime;
  if (overCapacity) annotations[overCapacityAnnotation] = overCapacity;
  const { [headlessLabel]: ___, ...labels } = service.metadata.labels ?? {};
  if (isHeadless(service)) labels[headlessLabel] = '';
  labels[managedByLabel] = managedBy;
  const { name = '', namespace = '' } = service.metadata;
  return {
    ...current,
    metadata: { ...(current?.metadata ?? { name, namespace }), labels, annotations },
    subsets: [...written],
  };
}

/** Differs from upstream: truncated Endpoints are not written again on every reconcile. */
function isUpToDate(
  { subsets, metadata }: Endpoints,
  service: Service,
  wanted: { readonly subsets: readonly EndpointSubset[]; readonly overCapacity: string | undefined },
): boolean {
  return (
    hasRightLabels(metadata.labels, service.metadata.labels) &&
    metadata.annotations?.[overCapacityAnnotation] === wanted.overCapacity &&
    // Others may have written the same subsets in another order.
    (isSame(subsets ?? [], wanted.subsets) || isSame(repackSubsets(subsets ?? []), wanted.subsets))
  );
}

/** Whether the subsets are equal apart from the resourceVersions in references to pods. */
const isSame = (a: readonly EndpointSubset[], b: readonly EndpointSubset[]): boolean =>
  semanticEqual(a.map(withoutVersions), b.map(withoutVersions));

function withoutVersions({ addresses, notReadyAddresses, ports }: EndpointSubset): EndpointSubset {
  return {
    addresses: (addresses ?? []).map(withoutVersion),
    notReadyAddresses: (notReadyAddresses ?? []).map(withoutVersion),
    ports: ports ?? [],
  };
}

function withoutVersion(address: EndpointAddress): EndpointAddress {
  if (!address.targetRef?.resourceVersion) return address;
  const { resourceVersion: _, ...targetRef } = address.targetRef;
  return { ...address, targetRef };
}

function hasRightLabels(
  labels: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>> = {},
): boolean {
  const { [managedByLabel]: manager, [headlessLabel]: _, ...others } = labels;
  return manager === managedBy && equals(others, wanted);
}
