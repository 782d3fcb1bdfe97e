import type { Service, ServicePort } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { GroupResource, newNotFound, newServiceUnavailable, quote } from '@coxswain/apimachinery';
import { connectionRefused } from '../proxy/dialer.ts';
import type { Lister } from '../registry/lister.ts';
import { WebhookCallError } from './webhook-error.ts';

/** An address to connect to. */
export interface ServiceAddress {
  /** A host name or IP address; IPv6 addresses without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Resolves a service to an address. Called for every connection. Throws an Error when there is none. */
export type ServiceResolver = (namespace: string, name: string, port: number) => ServiceAddress;

/** The name of the resource in errors of upstream's lister. */
const services = GroupResource.of('', 'service');

function getService(lister: Lister<Service>, namespace: string, name: string): Service {
  const service = lister.get(namespace, name);
  if (!service) throw newNotFound(services, name);
  return service;
}

function findPort({ metadata, spec }: Service, port: number): ServicePort {
  const found = spec?.ports?.find((candidate) => candidate.port === port);
  if (!found) throw newServiceUnavailable(`no service port ${port} found for service ${quote(metadata?.name ?? '')}`);
  return found;
}

const routable: ReadonlySet<string> = new Set(['ClusterIP', 'LoadBalancer', 'NodePort']);

/** Resolves the service `kubernetes` to this server itself, and other services by `elsewhere`. */
export const withOwnService =
  (own: () => ServiceAddress | undefined, elsewhere: ServiceResolver): ServiceResolver =>
  (namespace, name, port) => {
    const isOwn = namespace === 'default' && name === 'kubernetes' && port === 443;
    return (isOwn ? own() : undefined) ?? elsewhere(namespace, name, port);
  };

/** Throws a connection-refused WebhookCallError for addresses at which nothing listens (see `ServerEnvironment.nobodyAt`). */
export const resolveWithoutNobody =
  (nobodyAt: (host: string) => boolean, elsewhere: ServiceResolver): ServiceResolver =>
  (...service) => {
    const { host, port } = elsewhere(...service);
    if (nobodyAt(host)) throw new WebhookCallError(connectionRefused({ host, port: String(port) }), 'network');
    return { host, port };
  };

/** Resolves services to their cluster IPs, which kube-proxy forwards: upstream's default. */
export const clusterIPResolver =
  (lister: Lister<Service>): ServiceResolver =>
  (namespace, name, port) => {
    const service = getService(lister, namespace, name);
    const { type = 'ClusterIP', clusterIP = '', externalName = '' } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName, port };
    if (!routable.has(type)) throw new Error(`unsupported service type ${quote(type)}`);
    if (type === 'ClusterIP' && clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
    return { host: clusterIP, port: findPort(service, port).port };
  };

/** Resolves services to ready endpoints, for clusters without kube-proxy at the server: `--enable-aggregator-routing`. */
export const endpointResolver =
  (lister: Lister<Service>, slices: Lister<EndpointSlice>, random: () => number): ServiceResolver =>
  (namespace, name, port) => {
    const service = getService(lister, namespace, name);
    const { type = 'ClusterIP', ipFamilies = [] } = service.spec ?? {};
    if (!routable.has(type)) throw new Error(`unsupported service type ${quote(type)}`);
    const { name: portName = '' } = findPort(service, port);
    const own = slices
      .list(namespace)
      .filter(({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === name)
      .map((slice) => ({ slice, order: (slice.addressType === ipFamilies[0] ? 0 : 1) + random() }))
      .sort((a, b) => a.order - b.order);
    for (const { slice } of own) {
      const slicePort = slice.ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
      const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
      const host = ready[Math.floor(random() * ready.length)]?.addresses[0];
      if (slicePort !== undefined && host !== undefined) return { host, port: slicePort };
    }
    throw newServiceUnavailable(`no endpoints available for service ${quote(name)}`);
  };
