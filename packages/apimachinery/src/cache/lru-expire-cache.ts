import { LruCache } from './lru-cache.ts';

interface Entry<V> {
  readonly value: V;
  readonly from: number;
  readonly until: number;
}

/**
 * The entries used last, never more of them than the capacity, each for its own time. An entry does not live longer because the clock was set back: it counts as
 * expired then.
 */
export class LruExpireCache<K, V> {
  readonly #entries: LruCache<K, Entry<V>>;
  readonly #now: () => Date;

  constructor(capacity: number, now: () => Date) {
    this.#entries = new LruCache(capacity);
    this.#now = now;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const now = this.#now().getTime();
    if (now >= entry.from && now < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Replaces what was there under the key; with a time to live of zero or less nothing takes its place. */
  set(key: K, value: V, ttlMs: number): void {
    const from = this.#now().getTime();
    if (ttlMs > 0) this.#entries.set(key, { value, from, until: from + ttlMs });
    else this.#entries.delete(key);
  }
}
