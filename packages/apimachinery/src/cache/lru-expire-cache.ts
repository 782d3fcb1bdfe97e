import { LruCache } from './lru-cache.ts';

interface Entry<V> {
  readonly value: V;
  readonly from: number;
  readonly until: number;
}

/**
 * Holds the most recently used entries, at most `capacity` of them, each for its own time to live. An entry whose time of creation is in
 * the future counts as expired, so that it does not live longer when the clock is set back.
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

  /** Replaces the entry of the key. With a time to live of zero or less, only removes it. */
  set(key: K, value: V, ttlMs: number): void {
    const from = this.#now().getTime();
    if (ttlMs > 0) this.#entries.set(key, { value, from, until: from + ttlMs });
    else this.#entries.delete(key);
  }
}
