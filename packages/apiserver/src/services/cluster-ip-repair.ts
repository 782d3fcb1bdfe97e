import type { Service } from '@coxswain/api/core/v1';
import type { IPAddress } from '@coxswain/api/networking/v1';
import { dateFromTime, isAlreadyExists, isConflict, isNotFound } from '@coxswain/apimachinery';
import type { Logger } from '@coxswain/apimachinery/log';
import type { InternalClient, Lister, Listers } from '../registry/lister.ts';
import { parseAddress } from './address-range.ts';
import type { ClusterIPAllocator } from './cluster-ip-allocator.ts';
import { heldClusterIPs } from './cluster-ips.ts';
import {
  hasRightLabels,
  isManaged,
  isSameOwner,
  networkingGroup,
  newIPAddress,
  type Owner,
  ownerOf,
} from './ip-address-object.ts';

/**
 * How long an IPAddress may exist before its service has the address: the maximum duration of a request.
 *
 * Differs from upstream, which waits only 5 s when the service exists. There, a slow admission webhook can lose the second
 * address of a service that becomes dual-stack.
 */
const gracePeriodMs = 60_000;

interface ClusterIPRepairOptions {
  readonly client: InternalClient;
  readonly listers: Listers;
  readonly allocator: ClusterIPAllocator;
  readonly now: () => Date;
  /** Logs every inconsistency. */
  readonly logger: Logger;
}

/**
 * Repairs inconsistencies between services and IPAddresses. Every cluster IP must have its IPAddress; IPAddresses of services that
 * do not exist or have other addresses are deleted. Several servers may run it concurrently.
 */
export class ClusterIPRepair {
  readonly #options: ClusterIPRepairOptions;
  readonly #services: Lister<Service>;
  readonly #addresses: Lister<IPAddress>;

  constructor(options: ClusterIPRepairOptions) {
    this.#options = options;
    this.#services = options.listers.lister('', 'services');
    this.#addresses = options.listers.lister(networkingGroup, 'ipaddresses');
  }

  /** Checks and repairs everything once. Errors are logged; the next run retries. */
  async runOnce(): Promise<void> {
    await Promise.all([this.#services.synced, this.#addresses.synced]);
    for (const service of this.#services.list()) await this.#attempt(() => this.#repairService(service));
    for (const address of this.#addresses.list()) await this.#attempt(() => this.#repairAddress(address));
  }

  /** Recreates IPAddresses at once that are deleted while their service exists. Returns a function that stops this. */
  watchDeletions(): () => void {
    return this.#addresses.onChange((object, old) => {
      const owner = old && isManaged(old) ? ownerOf(old) : undefined;
      if (object || !old || !owner || !this.#holds(this.#services.get(owner.namespace, owner.name), old)) return;
      void this.#attempt(async () => {
        // The lister may be stale: deleting a service deletes its IPAddresses afterwards.
        const service = await this.#options.client.get<Service>('', 'services', owner.namespace, owner.name);
        if (this.#holds(service, old)) await this.#repairService(service);
      });
    });
  }

  async #attempt(repair: () => Promise<void>): Promise<void> {
    try {
      await repair();
    } catch (error) {
      // Another server repaired it concurrently.
      if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return;
      this.#options.logger.error('Failed to repair the addresses of services', error);
    }
  }

  async #repairService(service: Service): Promise<void> {
    const { allocator, logger } = this.#options;
    const owner = ownerFor(service);
    for (const text of heldClusterIPs(service)) {
      const address = parseAddress(text);
      const about = { clusterIP: text, service: owner };
      if (!address || !(await allocator.isInRange(text))) {
        logger.error('Cluster IP is not within any service CIDR; please recreate service', undefined, about);
        continue;
      }
      const record = this.#addresses.get('', address.canonical);
      const recorded = record && ownerOf(record);
      const other = recorded && !isSameOwner(recorded, owner) && this.#services.get(recorded.namespace, recorded.name);
      if (record && other && this.#holds(other, record)) {
        logger.error('Cluster IP was assigned to multiple services; please recreate service', undefined, about);
      } else if (!record || !recorded || !isSameOwner(recorded, owner) || !hasRightLabels(record, address.family)) {
        logger.error('Cluster IP is not allocated; repairing', undefined, about);
        if (record) await this.#delete(record);
        const wanted = newIPAddress(address.canonical, address.family, owner);
        await this.#options.client.create(networkingGroup, 'ipaddresses', wanted);
      }
    }
  }

  /** Deletes an IPAddress without a service, unless it is managed by something else. */
  async #repairAddress(record: IPAddress): Promise<void> {
    if (!isManaged(record)) return;
    const owner = ownerOf(record);
    if (owner && (this.#holds(this.#services.get(owner.namespace, owner.name), record) || this.#isYoung(record)))
      return;
    this.#options.logger.error('IPAddress belongs to no service; cleaning up', undefined, { ipAddress: record });
    await this.#delete(record);
  }

  #isYoung({ metadata }: IPAddress): boolean {
    const created = metadata.creationTimestamp;
    return created !== undefined && this.#options.now().getTime() - dateFromTime(created).getTime() <= gracePeriodMs;
  }

  #holds(service: Service | undefined, { metadata }: IPAddress): boolean {
    return !!service && heldClusterIPs(service).some((text) => parseAddress(text)?.canonical === metadata.name);
  }

  async #delete({ metadata }: IPAddress): Promise<void> {
    const { name = '', uid } = metadata;
    await this.#options.client.delete(networkingGroup, 'ipaddresses', '', name, { uid });
  }
}

const ownerFor = ({ metadata }: Service): Owner => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
