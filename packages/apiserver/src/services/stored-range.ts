import type { RangeAllocation } from '@coxswain/api/core/v1';
import { isJsonObject } from '@coxswain/apimachinery';
import type { Store } from '@coxswain/storage';
import { Bitmap } from './bitmap.ts';
import type { PortRange } from './port-range.ts';

/** A change of the allocated ports. When it throws, it must leave them unchanged. It may be called again. */
type Change<T> = (taken: Bitmap) => T;

interface Waiting {
  /** Runs the change. `ok` is false when it threw; `settle` settles the caller's promise. */
  readonly attempt: (taken: Bitmap) => { readonly ok: boolean; readonly settle: () => void };
  readonly reject: (error: unknown) => void;
}

interface Known {
  readonly taken: Bitmap;
  /** The key's modRevision; 0 when the key does not exist. */
  readonly revision: number;
}

interface StoredRangeOptions {
  readonly store: Store;
  readonly key: string;
  readonly range: PortRange;
  /** Returns the ports in use. Called when nothing is stored yet, or only for another range. */
  readonly inUse: () => Promise<Iterable<number>>;
}

/**
 * A set of ports in a range, stored under one key with compare-and-swap, so no port is allocated twice, even by several servers.
 * Changes that arrive during a write are batched into the next write.
 */
export class StoredRange {
  readonly #options: StoredRangeOptions;
  /** The last known state. Changes based on it are valid only if the write succeeds. */
  #known: Known | undefined;
  /** Changes for the next write; at most one per waiting request. */
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(options: StoredRangeOptions) {
    this.#options = options;
  }

  /** Runs a change and stores the result. Rejects with the error of the change or of the store. */
  update<T>(change: Change<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const attempt: Waiting['attempt'] = (taken) => {
        try {
          const value = change(taken);
          return { ok: true, settle: () => resolve(value) };
        } catch (error) {
          return { ok: false, settle: () => reject(error) };
        }
      };
      this.#waiting.push({ attempt, reject });
      this.#running ??= this.#run();
    });
  }

  /** Waits for running changes. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#carryOut(batch);
      } catch (error) {
        // The write may or may not have taken effect, so the state must be read again.
        this.#known = undefined;
        for (const { reject } of batch) reject(error);
      }
    }
    // Synchronously after the last check of `#waiting`, so that a later change starts a new run.
    this.#running = undefined;
  }

  async #carryOut(batch: readonly Waiting[]): Promise<void> {
    let isFresh = this.#known === undefined;
    let known = this.#known ?? (await this.#read());
    for (;;) {
      const taken = known.taken.copy();
      const outcomes = batch.map(({ attempt }) => attempt(taken));
      // A refusal is valid only when it is based on freshly read state.
      if (!isFresh && outcomes.some(({ ok }) => !ok)) {
        known = await this.#read();
        isFresh = true;
        continue;
      }
      if (taken.equals(known.taken)) this.#known = known;
      else {
        const written = await this.#options.store.put(this.#options.key, encode(this.#options.range, taken), {
          expected: known.revision,
        });
        if (!written.ok) {
          known = await this.#read();
          isFresh = true;
          continue;
        }
        this.#known = { taken, revision: written.revision };
      }
      for (const { settle } of outcomes) settle();
      return;
    }
  }

  async #read(): Promise<Known> {
    const { store, key, range, inUse } = this.#options;
    const { entry } = await store.get(key);
    const stored = entry && decode(entry.value, key);
    if (entry && stored?.range === range.toString()) {
      return { taken: Bitmap.fromBytes(Buffer.from(stored.data, 'base64'), range.size), revision: entry.modRevision };
    }
    const taken = new Bitmap(range.size);
    for (const port of await inUse()) if (range.contains(port)) taken.set(port - range.base);
    return { taken, revision: entry?.modRevision ?? 0 };
  }
}

/** Encodes upstream's RangeAllocation as JSON. */
function encode(range: PortRange, taken: Bitmap): Uint8Array {
  const object: RangeAllocation = {
    kind: 'RangeAllocation',
    apiVersion: 'v1',
    metadata: {},
    range: range.toString(),
    data: Buffer.from(taken.toBytes()).toString('base64'),
  };
  return Buffer.from(JSON.stringify(object));
}

function decode(value: Uint8Array, key: string): { range: string; data: string } {
  try {
    const object: unknown = JSON.parse(Buffer.from(value).toString());
    const { range, data = '' } = isJsonObject(object) ? object : {};
    if (typeof range === 'string' && typeof data === 'string') return { range, data };
  } catch (cause) {
    throw new Error(`the value at ${key} is not a RangeAllocation`, { cause });
  }
  throw new Error(`the value at ${key} is not a RangeAllocation`);
}
