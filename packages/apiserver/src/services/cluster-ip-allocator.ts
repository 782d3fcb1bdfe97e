import type { IPAddress, ServiceCIDR } from '@coxswain/api/networking/v1';
import { findStatusCondition, isAlreadyExists, isConflict, isNotFound } from '@coxswain/apimachinery';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import type { InternalClient, Lister, Listers } from '../registry/lister.ts';
import { AddressRange, type IPFamily, parseAddress } from './address-range.ts';
import { isSameOwner, networkingGroup, newIPAddress, type Owner, ownerOf } from './ip-address-object.ts';

/** An address cannot be allocated. The message is upstream's. */
class ClusterIPError extends Error {
  override readonly name = 'ClusterIPError';
}

/** No address of the family is free. */
export class RangeFullError extends ClusterIPError {
  constructor() {
    super('range is full');
  }
}

interface ClusterIPAllocatorOptions {
  readonly client: InternalClient;
  readonly listers: Listers;
  /** Returns a number from 0 up to but not including 1. */
  readonly random?: () => number;
  /** Logs errors of background work. */
  readonly logger?: Logger;
}

interface KnownRange {
  readonly range: AddressRange;
  /** Whether new addresses may be allocated from it. */
  readonly isReady: boolean;
}

/**
 * Allocates cluster IPs. An allocated address is recorded by the IPAddress object of that name, which is created before the address
 * is used. So no address is allocated twice, even by several servers and after crashes. The state in memory only speeds up the
 * search for a free address.
 */
export class ClusterIPAllocator {
  readonly #client: InternalClient;
  readonly #cidrs: Lister<ServiceCIDR>;
  readonly #addresses: Lister<IPAddress>;
  readonly #random: () => number;
  readonly #logger: Logger;
  readonly #unsubscribe: (() => void)[];
  /** By CIDR, in order of the ServiceCIDR names. An address that is (being) allocated is marked in all ranges that contain it. */
  #ranges: ReadonlyMap<string, KnownRange> = new Map();
  #isBuilt = false;
  /** Addresses that are being released. Requests for such an address wait for the promise. */
  readonly #releasing = new Map<string, Promise<void>>();

  constructor({ client, listers, random = systemRandom.number, logger = silentLogger }: ClusterIPAllocatorOptions) {
    this.#client = client;
    this.#cidrs = listers.lister(networkingGroup, 'servicecidrs');
    this.#addresses = listers.lister(networkingGroup, 'ipaddresses');
    this.#random = random;
    this.#logger = logger;
    this.#unsubscribe = [
      this.#cidrs.onChange(() => {
        if (this.#isBuilt) this.#buildRanges();
      }),
      this.#addresses.onChange((object, old) => {
        const name = (object ?? old)?.metadata.name;
        if (this.#isBuilt && name !== undefined) this.#mark(name, object !== undefined);
      }),
    ];
  }

  /** Allocates any free address of the family. Throws a ClusterIPError, or an error of the client. */
  async allocateNext(family: IPFamily, owner: Owner): Promise<string> {
    const tried: string[] = [];
    try {
      for (const { range } of await this.#rangesOf(family, true)) {
        for (;;) {
          const address = range.findFree(this.#random);
          if (address === undefined) break;
          this.#mark(address, true);
          tried.push(address);
          if (await this.#record(address, family, owner)) {
            tried.pop();
            return address;
          }
        }
      }
    } finally {
      // Another server has allocated these, or creating the record failed. Mark them as the lister says.
      for (const address of tried) this.#mark(address, this.#addresses.get('', address) !== undefined);
    }
    throw new RangeFullError();
  }

  /** Allocates a given address. Throws a ClusterIPError, or an error of the client. */
  async allocate(text: string, owner: Owner): Promise<void> {
    const address = parseAddress(text);
    const ranges = address ? await this.#rangesOf(address.family, true) : [];
    if (!address || !ranges.some(({ range }) => range.contains(address.number)))
      throw new ClusterIPError('the provided network does not match the current range');
    await this.#releasing.get(address.canonical);
    if (!(await this.#record(address.canonical, address.family, owner)))
      throw new ClusterIPError('provided IP is already allocated');
    this.#mark(address.canonical, true);
  }

  /**
   * Returns the address for a dry run: the requested one, or the network address as a placeholder. Allocates nothing. Throws a
   * ClusterIPError when no range contains the requested address.
   */
  async tryAllocate(family: IPFamily, text: string | undefined): Promise<string> {
    const ranges = await this.#rangesOf(family, false);
    const [first] = ranges;
    if (!first) throw new ClusterIPError('allocator not ready');
    if (!text) return first.range.networkAddress;
    const address = parseAddress(text);
    if (!address || !ranges.some(({ range }) => range.contains(address.number))) {
      const valid = `The range of valid IPs is ${first.range.cidr}`;
      throw new ClusterIPError(`the provided IP (${address?.canonical ?? text}) is not in the valid range. ${valid}`);
    }
    return text;
  }

  /** Releases an address if it still belongs to the owner. Never rejects: after an error, the repair releases it later. */
  release(text: string, owner: Owner): Promise<void> {
    const name = parseAddress(text)?.canonical;
    if (name === undefined) return Promise.resolve();
    const under = this.#releasing.get(name);
    const release = (under ?? Promise.resolve()).then(() => this.#forget(name, owner));
    this.#releasing.set(name, release);
    return release.then(() => {
      if (this.#releasing.get(name) === release) this.#releasing.delete(name);
    });
  }

  /** Returns whether any ServiceCIDR contains the address. */
  async isInRange(text: string): Promise<boolean> {
    const address = parseAddress(text);
    return (
      !!address && (await this.#rangesOf(address.family, false)).some(({ range }) => range.contains(address.number))
    );
  }

  /** Stops following changes, and waits for running releases. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(this.#releasing.values());
  }

  /** Creates the IPAddress. Returns false when it exists already. */
  async #record(name: string, family: IPFamily, owner: Owner): Promise<boolean> {
    try {
      await this.#client.create(networkingGroup, 'ipaddresses', newIPAddress(name, family, owner));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  async #forget(name: string, owner: Owner): Promise<void> {
    const known = this.#addresses.get('', name);
    const recorded = known && ownerOf(known);
    if (known && !(recorded && isSameOwner(recorded, owner))) return;
    try {
      await this.#client.delete(networkingGroup, 'ipaddresses', '', name, known && { uid: known.metadata.uid });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) this.#logger.error('Error releasing IP', error, { ip: name });
    }
  }

  async #rangesOf(family: IPFamily, mustBeReady: boolean): Promise<KnownRange[]> {
    if (!this.#isBuilt) {
      await Promise.all([this.#cidrs.synced, this.#addresses.synced]);
      if (!this.#isBuilt) this.#buildRanges();
      this.#isBuilt = true;
    }
    return [...this.#ranges.values()].filter(
      ({ range, isReady }) => range.family === family && (isReady || !mustBeReady),
    );
  }

  #buildRanges(): void {
    const ranges = new Map<string, KnownRange>();
    for (const config of this.#cidrs.list()) {
      for (const cidr of config.spec?.cidrs ?? []) {
        const range = ranges.get(cidr)?.range ?? this.#ranges.get(cidr)?.range ?? this.#newRange(cidr);
        if (range) ranges.set(cidr, { range, isReady: ranges.get(cidr)?.isReady || isReady(config) });
      }
    }
    this.#ranges = ranges;
  }

  #newRange(cidr: string): AddressRange | undefined {
    const range = AddressRange.parse(cidr);
    if (!range) return undefined;
    for (const { metadata } of this.#addresses.list()) {
      const address = parseAddress(metadata.name ?? '');
      if (address) range.mark(address.number, true);
    }
    return range;
  }

  #mark(name: string, taken: boolean): void {
    const address = parseAddress(name);
    if (address) for (const { range } of this.#ranges.values()) range.mark(address.number, taken);
  }
}

/** A ServiceCIDR without a Ready condition counts as ready, because there may be no controller that sets it. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  return !metadata.deletionTimestamp && (findStatusCondition(status?.conditions, 'Ready')?.status ?? 'True') === 'True';
}
