import type { Pod, Service, ServicePort } from '@coxswain/api/core/v1';
import { equals } from '@coxswain/apimachinery/labels';
import { formatIP, isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { deletedObject, type Indexer, NAMESPACE_INDEX, type ResourceEventHandler } from '@coxswain/client';
import { isPodReady, isPodTerminal } from '@coxswain/component-helpers';
import { labelled } from '../labels/label-index.ts';
import { selectorOf, servicesFor } from './service-index.ts';

export type IPFamily = 'IPv4' | 'IPv6';

/** Whether the pod has an address that a service may list. A terminating pod counts only with `includeTerminating`. */
export function isEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  if (isPodTerminal(pod)) return false;
  if (!pod.status?.podIP && !pod.status?.podIPs?.length) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** Returns the pod's addresses of one family in canonical form. */
export function podAddresses({ status }: Pod, family: IPFamily): string[] {
  const addresses: string[] = [];
  for (const { ip } of status?.podIPs ?? []) {
    const bytes = parseIPSloppy(ip)?.bytes;
    if (bytes && isIPv4(bytes) === (family === 'IPv4')) addresses.push(formatIP(bytes));
  }
  return addresses;
}

/** Whether the pod has its own DNS name below the service's. */
export const hasHostname = ({ spec, metadata }: Pod, service: Service): boolean =>
  !!spec?.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;

/** Returns the port number for a service's port on that pod, or undefined when no container has a port of that name and protocol. */
export function targetPort({ spec }: Pod, { targetPort = 0, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  for (const { ports } of [...(spec?.containers ?? []), ...sidecars]) {
    const port = ports?.find((port) => port.name === targetPort && port.protocol === protocol);
    if (port) return port.containerPort;
  }
  return undefined;
}

/** Whether the service has no cluster IP: its DNS name resolves to the addresses of its pods. */
export const isHeadless = ({ spec }: Service): boolean => !spec?.clusterIP || spec.clusterIP === 'None';

/** Returns the pods that the service selects. */
export const podsOf = (pods: Indexer<Pod>, service: Service): Pod[] =>
  labelled(pods, service.metadata.namespace, selectorOf(service) ?? {});

/** Returns the services whose endpoints may change because of the change of a pod. Undefined stands for a pod that does not exist. */
export function servicesConcerned(services: Indexer<Service>, old: Pod | undefined, pod: Pod | undefined): Service[] {
  const { namespace, labels } = (pod ?? old)?.metadata ?? {};
  if (services.countByIndex(NAMESPACE_INDEX, namespace ?? '') === 0) return [];
  const now = servicesFor(services, namespace, labels);
  if (!old || !pod) return now;
  if (old.metadata.resourceVersion === pod.metadata.resourceVersion) return [];
  const isChanged = hasChanged(old, pod);
  if (equals(old.metadata.labels ?? {}, labels ?? {})) return isChanged ? now : [];
  const before = servicesFor(services, namespace, old.metadata.labels);
  if (isChanged) return [...new Set([...before, ...now])];
  return [...before.filter((service) => !now.includes(service)), ...now.filter((service) => !before.includes(service))];
}

/** Any update of a terminating pod may mean that it has ended, so it always counts as a change. */
function hasChanged(old: Pod, pod: Pod): boolean {
  if (old.metadata.deletionTimestamp !== undefined || pod.metadata.deletionTimestamp !== undefined) return true;
  if (isPodReady(old) !== isPodReady(pod)) return true;
  const before = old.status?.podIPs ?? [];
  const now = pod.status?.podIPs ?? [];
  return before.length !== now.length || before.some(({ ip }, i) => ip !== now[i]?.ip);
}

/** Returns a handler that calls `enqueue` with the services affected by a pod's event. */
export function podOfServicesHandler(
  services: Indexer<Service>,
  enqueue: (service: Service) => void,
): ResourceEventHandler<Pod> {
  const onChange = (old: Pod | undefined, pod: Pod | undefined): void =>
    servicesConcerned(services, old, pod).forEach(enqueue);
  return {
    onAdd: (pod) => onChange(undefined, pod),
    onUpdate: onChange,
    onDelete: (deleted) => onChange(deletedObject(deleted), undefined),
  };
}
