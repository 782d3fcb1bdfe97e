import type { Service } from '@coxswain/api/core/v1';
import type { EndpointPort, EndpointSlice } from '@coxswain/api/discovery/v1';
import { equals } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, newControllerRef } from '@coxswain/apimachinery/meta';
import { dns1123SubdomainMaxLength } from '@coxswain/apimachinery/validation';
import { isHeadless } from '../framework/services/pod-endpoints.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
const headlessLabel = 'service.kubernetes.io/headless';
/** When that happened for which endpoints were last written. */
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
/** The value of `managedByLabel` on slices that are made of pods. */
export const managedByPods = 'endpointslice-controller.k8s.io';

export const serviceKind = GroupVersionKind.of('', 'v1', 'Service');

const isReserved = (label: string): boolean =>
  label === serviceNameLabel || label === managedByLabel || label === headlessLabel;

/** Those of the service, and ours. */
function sliceLabels(service: Service): Record<string, string> {
  return {
    ...unreserved(service.metadata.labels),
    ...(isHeadless(service) && { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name ?? '',
    [managedByLabel]: managedByPods,
  };
}

/** What the slice's labels are to be, if the service's are others by now. Ours alone are no reason to write it. */
export function newSliceLabels(slice: EndpointSlice, service: Service): Record<string, string> | undefined {
  return equals(unreserved(slice.metadata.labels), unreserved(service.metadata.labels))
    ? undefined
    : sliceLabels(service);
}

const unreserved = (labels: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(labels ?? {}).filter(([label]) => !isReserved(label)));

/** One without endpoints. */
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

/** The beginning of the names of a service's slices; longer ones are cut by the server. */
export const slicePrefix = (name: string): string => (name.length < dns1123SubdomainMaxLength ? `${name}-` : name);

/** Whether the slice is the one that a service without endpoints has. */
export function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  return !slice.endpoints?.length && !slice.ports?.length && equals(slice.metadata.labels ?? {}, sliceLabels(service));
}

export const isOwnedBy = (slice: EndpointSlice, service: Service): boolean =>
  slice.metadata.ownerReferences?.some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === 'Service' && apiVersion === 'v1',
  ) ?? false;

/** The slice with the annotation that this time belongs into; without it when there is no time. */
export function withTriggerTime(slice: EndpointSlice, time: string | undefined): EndpointSlice {
  const { [triggerTimeAnnotation]: _, ...annotations } = slice.metadata.annotations ?? {};
  if (time !== undefined) annotations[triggerTimeAnnotation] = time;
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
