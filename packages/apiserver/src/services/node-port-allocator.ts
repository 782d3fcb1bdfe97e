import type { Service } from '@coxswain/api/core/v1';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { Store } from '@coxswain/storage';
import type { Lister } from '../registry/lister.ts';
import type { Bitmap } from './bitmap.ts';
import { heldPorts } from './node-ports.ts';
import type { PortRange } from './port-range.ts';
import { staticBand } from './static-band.ts';
import { StoredRange } from './stored-range.ts';

/** Why a port is not to be had, in upstream's words. */
class NodePortError extends Error {
  override readonly name = 'NodePortError';
}

/** Where a service gets its node ports from. Both throw a NodePortError. */
export interface PortSource {
  allocate(port: number): void;
  allocateNext(): number;
}

interface NodePortAllocatorOptions {
  readonly store: Store;
  /** `/registry/ranges/servicenodeports`. */
  readonly key: string;
  readonly range: PortRange;
  readonly services: Lister<Service>;
  /** From 0 up to but not including 1. */
  readonly random?: () => number;
}

/** Gives out node ports. The store has the record of those that are taken. */
export class NodePortAllocator {
  readonly range: PortRange;
  readonly #stored: StoredRange;
  readonly #random: () => number;
  readonly #dynamicFrom: number;

  constructor({ store, key, range, services, random = systemRandom.number }: NodePortAllocatorOptions) {
    this.range = range;
    this.#random = random;
    this.#dynamicFrom = staticBand(range.size, { min: 16, max: 128, step: 32 });
    const inUse = async (): Promise<number[]> => {
      await services.synced;
      return services.list().flatMap(heldPorts);
    };
    this.#stored = new StoredRange({ store, key, range, inUse });
  }

  /**
   * Lets the plan take ports and stores that they are taken; when it throws none is. The plan may be called more than
   * once, with what was taken before free again.
   */
  async allocate<T>(plan: (source: PortSource) => T): Promise<{ result: T; allocated: readonly number[] }> {
    return this.#stored.update((taken) => {
      const allocated: number[] = [];
      const take = (offset: number): number => {
        taken.set(offset);
        allocated.push(this.range.base + offset);
        return this.range.base + offset;
      };
      try {
        const result = plan({
          allocate: (port) => {
            this.#check(port, taken);
            take(port - this.range.base);
          },
          allocateNext: () => {
            const offset = this.#find(taken);
            if (offset === undefined) throw new NodePortError('range is full');
            return take(offset);
          },
        });
        return { result, allocated };
      } catch (error) {
        for (const port of allocated) taken.clear(port - this.range.base);
        throw error;
      }
    });
  }

  /** Lets the plan see what it could take, and takes nothing: ports that it does not ask for by number are made up. */
  async tryAllocate<T>(plan: (source: PortSource) => T): Promise<T> {
    return this.#stored.update((taken) => {
      const allocated: number[] = [];
      return plan({
        allocate: (port) => {
          if ((this.range.contains(port) && taken.has(port - this.range.base)) || allocated.includes(port))
            throw new NodePortError('provided port is already allocated');
          allocated.push(port);
        },
        allocateNext: () => {
          const port = (allocated.length > 0 ? Math.max(...allocated) : 32768) + 1;
          allocated.push(port);
          return port;
        },
      });
    });
  }

  /** Gives ports back; those that are out of range or free already are none of its business. */
  async release(ports: readonly number[]): Promise<void> {
    if (ports.length === 0) return;
    await this.update((taken) => {
      for (const port of ports) if (this.range.contains(port)) taken.clear(port - this.range.base);
    });
  }

  /** Changes the record as such, for the repair. */
  update<T>(change: (taken: Bitmap) => T): Promise<T> {
    return this.#stored.update(change);
  }

  /** Waits for what is under way. */
  close(): Promise<void> {
    return this.#stored.close();
  }

  #check(port: number, taken: Bitmap): void {
    if (!this.range.contains(port)) {
      const valid = `The range of valid ports is ${this.range}`;
      throw new NodePortError(`provided port is not in the valid range. ${valid}`);
    }
    if (taken.has(port - this.range.base)) throw new NodePortError('provided port is already allocated');
  }

  /** Any above the band that is kept for those who ask for one, and of that band when there is no other. */
  #find(taken: Bitmap): number | undefined {
    const within = (from: number, to: number): number | undefined =>
      from < to ? taken.findClear(from, to, from + Math.floor(this.#random() * (to - from))) : undefined;
    return within(this.#dynamicFrom, this.range.size) ?? within(0, this.#dynamicFrom);
  }
}
