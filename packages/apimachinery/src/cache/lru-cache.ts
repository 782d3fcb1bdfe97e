/** The entries used last, never more of them than the capacity. */
export class LruCache<K, V> {
  /** In the order of use, the longest unused first. Never more than `#capacity`. */
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  /** The last of `#entries`, unless it was deleted: what is used again and again stays where it is. */
  #newest: K | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) this.#touch(key, value);
    return value;
  }

  /** Answers the entry that had to go for it, if one had to. */
  set(key: K, value: V): V | undefined {
    this.#touch(key, value);
    if (this.#entries.size <= this.#capacity) return undefined;
    for (const [oldest, unused] of this.#entries) {
      this.#entries.delete(oldest);
      return unused;
    }
    return undefined;
  }

  /** Without counting as use. */
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

  /** Without counting as use. Entries may be deleted meanwhile. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  #touch(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
  }
}
