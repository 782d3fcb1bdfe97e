import type { Service } from '@coxswain/api/core/v1';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { Store } from '@coxswain/storage';
import type { Lister } from '../registry/lister.ts';
import type { Bitmap } from './bitmap.ts';
import { heldPorts } from './node-ports.ts';
import type { PortRange } from './port-range.ts';
import { staticBand } from './static-band.ts';
import { StoredRange } from './stored-range.ts';

/** A port cannot be allocated. The message is upstream's. */
class NodePortError extends Error {
  override readonly name = 'NodePortError';
}

/** Allocates node ports. Both methods throw a NodePortError. */
export interface PortSource {
  allocate(port: number): void;
  allocateNext(): number;
}

interface NodePortAllocatorOptions {
  readonly store: Store;
  /** The key of the RangeAllocation, such as `/registry/ranges/servicenodeports`. */
  readonly key: string;
  readonly range: PortRange;
  readonly services: Lister<Service>;
  /** Returns a number from 0 up to but not including 1. */
  readonly random?: () => number;
}

/** Allocates node ports. The store has the record of allocated ones. */
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
   * Runs the plan and stores the ports that it allocates. When the plan throws, none is allocated. The plan may be called again
   * after a conflict, with its earlier allocations undone.
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

  /** Runs the plan for a dry run, without allocating anything. Ports without a requested number are placeholders. */
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

  /** Releases ports. Ignores those that are out of range or free already. */
  async release(ports: readonly number[]): Promise<void> {
    if (ports.length === 0) return;
    await this.update((taken) => {
      for (const port of ports) if (this.range.contains(port)) taken.clear(port - this.range.base);
    });
  }

  /** Changes the stored record, for the repair. */
  update<T>(change: (taken: Bitmap) => T): Promise<T> {
    return this.#stored.update(change);
  }

  /** Waits for running changes. */
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

  /** Returns a random free port above the static band, or else in the static band. */
  #find(taken: Bitmap): number | undefined {
    const within = (from: number, to: number): number | undefined =>
      from < to ? taken.findClear(from, to, from + Math.floor(this.#random() * (to - from))) : undefined;
    return within(this.#dynamicFrom, this.range.size) ?? within(0, this.#dynamicFrom);
  }
}
