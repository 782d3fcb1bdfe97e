import type { ClusterIndex, EndpointInfo, NamedPort, ServiceInfo } from '../../cluster/index.ts';
import { addressOfReverse, canonicalAddress, isReverseName } from '../../wire/index.ts';
import type { KubernetesOptions } from './kubernetes-options.ts';
import { type NameRequest, parseName } from './parse-name.ts';

/** One address or external name behind a name, as records are made from it. */
export interface Backend {
  /** An IP address, or the name of an ExternalName Service. */
  readonly host: string;
  readonly isAddress: boolean;
  /** -1: there is no port, so there are no SRV records. */
  readonly port: number;
  /** The name that SRV records point to. */
  readonly target: string;
}

/** The answer of the cluster to a name: what is behind it, which may be nothing, or that the name does not exist. */
export type Found = readonly Backend[] | 'no such name';

const nothing: readonly Backend[] = [];

/** Finds what is behind names in the cluster's zones, with the rules of CoreDNS. */
export class ClusterBackend {
  readonly #index: ClusterIndex;
  readonly #options: KubernetesOptions;

  constructor(index: ClusterIndex, options: KubernetesOptions) {
    this.#index = index;
    this.#options = options;
  }

  /** `name` is in the zone; both are in lower case. */
  find(name: string, zone: string): Found {
    const request = parseName(name, zone);
    if (request.kind === 'invalid') return 'no such name';
    if (request.kind === 'apex') return nothing;
    if (isReverseName(name) || !this.#isExposed(request.namespace)) return 'no such name';
    if (request.kind === 'pod') return this.#pods(request, zone);
    return request.name === '' ? nothing : this.#services(request, zone);
  }

  /** Returns the names that an address has: that of a Service, or those of endpoints. */
  reverse(name: string): Found {
    const address = addressOfReverse(name);
    if (address === undefined) return 'no such name';
    const { primaryZone, namespaces } = this.#options;
    const isHidden = (namespace: string): boolean => namespaces.size > 0 && !this.#isExposed(namespace);
    const named = (target: string): Backend => ({ host: target, isAddress: false, port: -1, target });
    for (const service of this.#index.servicesWithAddress(address)) {
      if (!isHidden(service.namespace)) return [named(`${service.name}.${service.namespace}.svc.${primaryZone}`)];
    }
    const found: Backend[] = [];
    for (const { namespace, service, endpoints } of this.#index.slicesWithAddress(address)) {
      if (isHidden(namespace)) continue;
      for (const endpoint of endpoints) {
        if (endpoint.address !== address) continue;
        found.push(named(`${this.#hostname(endpoint)}.${service}.${namespace}.svc.${primaryZone}`));
      }
    }
    return found.length > 0 ? found : 'no such name';
  }

  /** Returns the names and addresses of this server: those of its Services, or else its own addresses with the name `ns.dns`. */
  nameServers(localAddresses: readonly string[], zone: string): Backend[] {
    const found: Backend[] = [];
    let isEndpoint = false;
    for (const local of localAddresses) {
      for (const slice of this.#index.slicesWithAddress(local)) {
        isEndpoint = true;
        const service = this.#index.service(slice.namespace, slice.service);
        if (!service) continue;
        const target = `${service.name}.${service.namespace}.svc.${zone}`;
        if (service.isHeadless) {
          for (const endpoint of slice.endpoints)
            found.push(addressBackend(endpoint.address, -1, `${this.#hostname(endpoint)}.${target}`));
        } else for (const address of service.clusterIPs) found.push(addressBackend(address, -1, target));
      }
    }
    if (isEndpoint) return found;
    return localAddresses.map((address) => addressBackend(address, -1, `ns.dns.${zone}`));
  }

  #isExposed(namespace: string): boolean {
    const { namespaces } = this.#options;
    return (namespaces.size === 0 || namespaces.has(namespace)) && this.#index.namespaces.has(namespace);
  }

  #pods({ name, namespace }: Extract<NameRequest, { kind: 'svc' | 'pod' }>, zone: string): Found {
    const { pods } = this.#options;
    if (pods === 'disabled') return 'no such name';
    if (name === '') return nothing;
    const isIpv4 = name.split('-').length === 4 && !name.includes('--');
    const address = canonicalAddress(name.replaceAll('-', isIpv4 ? '.' : ':'));
    if (address === undefined) return 'no such name';
    const target = `${name}.${namespace}.pod.${zone}`;
    if (pods === 'insecure') return [addressBackend(address, 0, target)];
    const found: Backend[] = [];
    for (const pod of this.#index.podsWithAddress(address)) {
      if (pod.namespace === namespace) found.push(addressBackend(address, 0, target));
    }
    return found.length > 0 ? found : 'no such name';
  }

  #services(request: Extract<NameRequest, { kind: 'svc' | 'pod' }>, zone: string): Found {
    const { name, namespace, endpoint, port, protocol } = request;
    const service = this.#index.service(namespace, name);
    if (!service || this.#isIgnored(service)) return 'no such name';
    const target = `${name}.${namespace}.svc.${zone}`;
    if (service.externalName !== undefined) {
      const isAsked = endpoint === '' && port === '' && protocol === '';
      if (!isAsked || canonicalAddress(service.externalName) !== undefined) return 'no such name';
      return [{ host: service.externalName, isAddress: false, port: -1, target }];
    }
    const found: Backend[] = [];
    /** A port that matches makes the name exist, even when there are no addresses. */
    let exists = false;
    if (service.isHeadless || endpoint !== '') {
      for (const slice of this.#index.slices(namespace, name)) {
        for (const one of slice.endpoints) {
          const hostname = this.#hostname(one);
          if (endpoint !== '' && endpoint !== hostname.toLowerCase()) continue;
          for (const named of slice.ports) {
            if (matches(named, port, protocol))
              found.push(addressBackend(one.address, named.port, `${hostname}.${target}`));
          }
        }
      }
    } else {
      for (const named of service.ports) {
        if (!matches(named, port, protocol)) continue;
        exists = true;
        for (const address of service.clusterIPs) found.push(addressBackend(address, named.port, target));
      }
    }
    return found.length > 0 || exists ? found : 'no such name';
  }

  /** With `ignore empty_service`, a Service without ready endpoints does not exist. */
  #isIgnored({ name, namespace, externalName, isHeadless }: ServiceInfo): boolean {
    if (!this.#options.ignoresEmptyServices || externalName !== undefined || isHeadless) return false;
    for (const { endpoints } of this.#index.slices(namespace, name)) if (endpoints.length > 0) return false;
    return true;
  }

  #hostname({ hostname, podName, address }: EndpointInfo): string {
    if (hostname !== '') return hostname;
    if (this.#options.usesPodNames && podName !== '') return podName;
    const dashed = address.replaceAll(/[.:]/g, '-');
    // A label must not end with a dash, as that of `2001:db8::` would.
    return dashed.endsWith('-') ? `${dashed}0` : dashed;
  }
}

const addressBackend = (host: string, port: number, target: string): Backend => ({
  host,
  isAddress: true,
  port,
  target,
});

const matches = (named: NamedPort, port: string, protocol: string): boolean =>
  (port === '' || port === named.name) && (protocol === '' || protocol === named.protocol);
