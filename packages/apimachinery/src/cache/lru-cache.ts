/** Holds the most recently used entries, at most `capacity` of them. */
export class LruCache<K, V> {
  /** In the order of use, the least recently used first. Never more than `#capacity`. */
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  /** The key of the last of `#entries`, unless it was deleted. Reading it again does not move it. */
  #newest: K | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) this.#touch(key, value);
    return value;
  }

  /** Returns the value of the entry that was evicted, if there was one. */
  set(key: K, value: V): V | undefined {
    this.#touch(key, value);
    if (this.#entries.size <= this.#capacity) return undefined;
    for (const [oldest, unused] of this.#entries) {
      this.#entries.delete(oldest);
      return unused;
    }
    return undefined;
  }

  /** Returns the value without counting as use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Iterating does not count as use. Entries may be deleted meanwhile. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  #touch(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
  }
}
