import type { RangeAllocation } from '@coxswain/api/core/v1';
import { isJsonObject } from '@coxswain/apimachinery';
import type { Store } from '@coxswain/storage';
import { Bitmap } from './bitmap.ts';
import type { PortRange } from './port-range.ts';

/** A change to which ports are taken. When it throws it must have left them as they were. May be called again. */
type Change<T> = (taken: Bitmap) => T;

interface Waiting {
  /** Carries the change out and says whether it could be; `settle` tells who waits. */
  readonly attempt: (taken: Bitmap) => { readonly ok: boolean; readonly settle: () => void };
  readonly reject: (error: unknown) => void;
}

interface Known {
  readonly taken: Bitmap;
  /** The key's modRevision; 0 when there is no such key. */
  readonly revision: number;
}

interface StoredRangeOptions {
  readonly store: Store;
  readonly key: string;
  readonly range: PortRange;
  /** The ports that are in use when nothing is stored, or something for another range. */
  readonly inUse: () => Promise<Iterable<number>>;
}

/**
 * A set of numbers of a range, kept under one key by compare-and-swap: whatever servers share the store, no number is
 * taken twice. Changes that come while a write is under way go into the next write together.
 */
export class StoredRange {
  readonly #options: StoredRangeOptions;
  /** As it was when last seen: what is done on it is right only if the write succeeds. */
  #known: Known | undefined;
  /** As long as there are requests that wait for it, at most. */
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(options: StoredRangeOptions) {
    this.#options = options;
  }

  /** Carries the change out and stores what came of it. Rejects with what the change threw, or the store. */
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

  /** Waits for changes under way. */
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
        // Nobody knows what is stored now.
        this.#known = undefined;
        for (const { reject } of batch) reject(error);
      }
    }
    // In one go with the last look at who waits: whoever comes later must start it again.
    this.#running = undefined;
  }

  async #carryOut(batch: readonly Waiting[]): Promise<void> {
    let isFresh = this.#known === undefined;
    let known = this.#known ?? (await this.#read());
    for (;;) {
      const taken = known.taken.copy();
      const outcomes = batch.map(({ attempt }) => attempt(taken));
      // A refusal counts only when it comes from what is really there.
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

/** Upstream's RangeAllocation, as JSON. */
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
    throw new Error(`what is stored at ${key} is no RangeAllocation`, { cause });
  }
  throw new Error(`what is stored at ${key} is no RangeAllocation`);
}
