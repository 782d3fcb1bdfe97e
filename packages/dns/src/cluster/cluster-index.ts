import type { Epoch } from '../chain/index.ts';
import type { PodInfo, ServiceInfo, SliceInfo } from './cluster-objects.ts';

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** The Services, endpoints, pods and namespaces of a cluster, as queries look them up. Its four tables are kept up to date by `ClusterWatch`. */
export class ClusterIndex {
  /** Grows with every change of anything in here. */
  readonly epoch: Epoch = { value: 0 };
  /** Seconds since 1970 of the last change: the serial of SOA records. */
  modified = 0;
  readonly #now: () => number;
  readonly namespaces = new Set<string>();
  /** By `namespace/name`. */
  readonly #services = new Map<string, ServiceInfo>();
  readonly #servicesByAddress = new Map<string, Map<string, ServiceInfo>>();
  /** By `namespace/name` of the slice. */
  readonly #slices = new Map<string, SliceInfo>();
  /** By `namespace/name` of the Service, then by that of the slice. */
  readonly #slicesByService = new Map<string, Map<string, SliceInfo>>();
  readonly #slicesByAddress = new Map<string, Map<string, SliceInfo>>();
  readonly #pods = new Map<string, PodInfo>();
  readonly #podsByAddress = new Map<string, Map<string, PodInfo>>();

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  service(namespace: string, name: string): ServiceInfo | undefined {
    return this.#services.get(`${namespace}/${name}`);
  }

  slices(namespace: string, service: string): Iterable<SliceInfo> {
    return (this.#slicesByService.get(`${namespace}/${service}`) ?? none).values();
  }

  servicesWithAddress(address: string): Iterable<ServiceInfo> {
    return (this.#servicesByAddress.get(address) ?? none).values();
  }

  slicesWithAddress(address: string): Iterable<SliceInfo> {
    return (this.#slicesByAddress.get(address) ?? none).values();
  }

  podsWithAddress(address: string): Iterable<PodInfo> {
    return (this.#podsByAddress.get(address) ?? none).values();
  }

  /** Numbers of objects, for logs. */
  get sizes(): { readonly services: number; readonly endpointSlices: number; readonly namespaces: number } {
    return { services: this.#services.size, endpointSlices: this.#slices.size, namespaces: this.namespaces.size };
  }

  setNamespace(name: string, exists: boolean): void {
    if (exists) this.namespaces.add(name);
    else this.namespaces.delete(name);
    // Namespaces do not change the serial: CoreDNS' serial does not depend on them.
    this.epoch.value++;
  }

  setService(key: string, service: ServiceInfo | undefined): void {
    const old = this.#services.get(key);
    if (old) for (const address of old.clusterIPs) removeFrom(this.#servicesByAddress, address, key);
    if (service) {
      this.#services.set(key, service);
      for (const address of service.clusterIPs) addTo(this.#servicesByAddress, address, key, service);
    } else this.#services.delete(key);
    this.#changed();
  }

  setSlice(key: string, slice: SliceInfo | undefined): void {
    const old = this.#slices.get(key);
    if (old) {
      removeFrom(this.#slicesByService, `${old.namespace}/${old.service}`, key);
      for (const { address } of old.endpoints) removeFrom(this.#slicesByAddress, address, key);
    }
    if (slice) {
      this.#slices.set(key, slice);
      addTo(this.#slicesByService, `${slice.namespace}/${slice.service}`, key, slice);
      for (const { address } of slice.endpoints) addTo(this.#slicesByAddress, address, key, slice);
    } else this.#slices.delete(key);
    this.#changed();
  }

  setPod(key: string, pod: PodInfo | undefined): void {
    const old = this.#pods.get(key);
    if (old) for (const address of old.addresses) removeFrom(this.#podsByAddress, address, key);
    if (pod) {
      this.#pods.set(key, pod);
      for (const address of pod.addresses) addTo(this.#podsByAddress, address, key, pod);
    } else this.#pods.delete(key);
    this.#changed();
  }

  serviceKeys(): Iterable<string> {
    return this.#services.keys();
  }

  sliceKeys(): Iterable<string> {
    return this.#slices.keys();
  }

  podKeys(): Iterable<string> {
    return this.#pods.keys();
  }

  #changed(): void {
    this.epoch.value++;
    this.modified = Math.floor(this.#now() / 1000);
  }
}

function addTo<T>(index: Map<string, Map<string, T>>, at: string, key: string, value: T): void {
  const known = index.get(at);
  if (known) known.set(key, value);
  else index.set(at, new Map([[key, value]]));
}

function removeFrom<T>(index: Map<string, Map<string, T>>, at: string, key: string): void {
  const known = index.get(at);
  known?.delete(key);
  if (known?.size === 0) index.delete(at);
}
