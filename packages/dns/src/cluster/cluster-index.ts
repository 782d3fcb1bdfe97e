import type { Epoch } from '../chain/index.ts';
import type { PodInfo, ServiceInfo, SliceInfo } from './cluster-objects.ts';
import { Multimap } from './multimap.ts';

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
  readonly #servicesByAddress = new Multimap<ServiceInfo>();
  /** By `namespace/name` of the slice. */
  readonly #slices = new Map<string, SliceInfo>();
  /** By `namespace/name` of the Service. */
  readonly #slicesByService = new Multimap<SliceInfo>();
  readonly #slicesByAddress = new Multimap<SliceInfo>();
  readonly #pods = new Map<string, PodInfo>();
  readonly #podsByAddress = new Multimap<PodInfo>();

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  service(namespace: string, name: string): ServiceInfo | undefined {
    return this.#services.get(`${namespace}/${name}`);
  }

  slices(namespace: string, service: string): Iterable<SliceInfo> {
    return this.#slicesByService.get(`${namespace}/${service}`);
  }

  servicesWithAddress(address: string): Iterable<ServiceInfo> {
    return this.#servicesByAddress.get(address);
  }

  slicesWithAddress(address: string): Iterable<SliceInfo> {
    return this.#slicesByAddress.get(address);
  }

  podsWithAddress(address: string): Iterable<PodInfo> {
    return this.#podsByAddress.get(address);
  }

  /** Everything by key, as the watches see it. */
  get tables(): {
    readonly services: ReadonlyMap<string, ServiceInfo>;
    readonly slices: ReadonlyMap<string, SliceInfo>;
    readonly pods: ReadonlyMap<string, PodInfo>;
  } {
    return { services: this.#services, slices: this.#slices, pods: this.#pods };
  }

  setNamespace(name: string, exists: boolean): void {
    if (exists) this.namespaces.add(name);
    else this.namespaces.delete(name);
    // Namespaces do not change the serial: CoreDNS' serial does not depend on them.
    this.epoch.value++;
  }

  setService(key: string, service: ServiceInfo | undefined): void {
    const old = this.#services.get(key);
    if (old) for (const address of old.clusterIPs) this.#servicesByAddress.delete(address, old);
    if (service) {
      this.#services.set(key, service);
      for (const address of service.clusterIPs) this.#servicesByAddress.add(address, service);
    } else this.#services.delete(key);
    this.#changed();
  }

  setSlice(key: string, slice: SliceInfo | undefined): void {
    const old = this.#slices.get(key);
    if (old) {
      this.#slicesByService.delete(`${old.namespace}/${old.service}`, old);
      for (const { address } of old.endpoints) this.#slicesByAddress.delete(address, old);
    }
    if (slice) {
      this.#slices.set(key, slice);
      this.#slicesByService.add(`${slice.namespace}/${slice.service}`, slice);
      for (const { address } of slice.endpoints) this.#slicesByAddress.add(address, slice);
    } else this.#slices.delete(key);
    this.#changed();
  }

  setPod(key: string, pod: PodInfo | undefined): void {
    const old = this.#pods.get(key);
    if (old) for (const address of old.addresses) this.#podsByAddress.delete(address, old);
    if (pod) {
      this.#pods.set(key, pod);
      for (const address of pod.addresses) this.#podsByAddress.add(address, pod);
    } else this.#pods.delete(key);
    this.#changed();
  }

  #changed(): void {
    this.epoch.value++;
    this.modified = Math.floor(this.#now() / 1000);
  }
}
