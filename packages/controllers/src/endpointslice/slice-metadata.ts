import type { Service } from '@coxswain/api/core/v1';
import type { EndpointPort, EndpointSlice } from '@coxswain/api/discovery/v1';
import { equals } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, newControllerRef } from '@coxswain/apimachinery/meta';
import { dns1123SubdomainMaxLength } from '@coxswain/apimachinery/validation';
import { isHeadless } from '../framework/services/pod-endpoints.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
const headlessLabel = 'service.kubernetes.io/headless';
/** The time of the change that caused the last write of the endpoints. */
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
/** The value of `managedByLabel` on slices for services with selectors. */
export const managedByPods = 'endpointslice-controller.k8s.io';

export const serviceKind = GroupVersionKind.of('', 'v1', 'Service');

const isReserved = (label: string): boolean =>
  label === serviceNameLabel || label === managedByLabel || label === headlessLabel;

/** The service's labels and the controller's own. */
function sliceLabels(service: Service): Record<string, string> {
  return {
    ...unreserved(service.metadata.labels),
    ...(isHeadless(service) && { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name ?? '',
    [managedByLabel]: managedByPods,
  };
}

/**
 * Returns the slice's new labels if the service's labels have changed. A difference in the controller's own labels alone causes
 * no write.
 */
export function newSliceLabels(slice: EndpointSlice, service: Service): Record<string, string> | undefined {
  return equals(unreserved(slice.metadata.labels), unreserved(service.metadata.labels))
    ? undefined
    : sliceLabels(service);
}

const unreserved = (labels: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(labels ?? {}).filter(([label]) => !isReserved(label)));

/** Returns a slice without endpoints. */
export function newSlice(
  service: Service,
  addressType: EndpointSlice['addressType'],
  ports: readonly EndpointPort[],
): EndpointSlice {
  const { name = '', namespace = '' } = service.metadata;
  return {
    metadata: {
      generateName: slicePrefix(name),
      namespace,
      labels: sliceLabels(service),
      ownerReferences: [newControllerRef(service, serviceKind)],
    },
    addressType,
    endpoints: [],
    ports: [...ports],
  };
}

/** The name prefix of a service's slices. The server truncates long prefixes. */
export const slicePrefix = (name: string): string => (name.length < dns1123SubdomainMaxLength ? `${name}-` : name);

/** Whether the slice is the empty one of a service without endpoints. */
export function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  return !slice.endpoints?.length && !slice.ports?.length && equals(slice.metadata.labels ?? {}, sliceLabels(service));
}

export const isOwnedBy = (slice: EndpointSlice, service: Service): boolean =>
  slice.metadata.ownerReferences?.some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === 'Service' && apiVersion === 'v1',
  ) ?? false;

/** Returns the slice with the trigger time annotation, or without it when `time` is undefined. */
export function withTriggerTime(slice: EndpointSlice, time: string | undefined): EndpointSlice {
  const { [triggerTimeAnnotation]: _, ...annotations } = slice.metadata.annotations ?? {};
  if (time !== undefined) annotations[triggerTimeAnnotation] = time;
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
