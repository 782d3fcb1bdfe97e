/** What is cached of one key. Immutable and shared. */
export interface CacheEntry<T> {
  readonly key: string;
  /** The key's modRevision. */
  readonly revision: number;
  readonly value: T;
}

/** A change as watchers of the cache see it. One object for all of them, so that what is made of it can be kept with it. */
export interface CacheEvent<T> {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** As it is now; for a deletion: as it was last. */
  readonly entry: CacheEntry<T>;
  /** As it was before; absent for a new key. For a deletion the same as `entry`. */
  readonly previous?: CacheEntry<T>;
}

/** An entry that remembers its size, since a value may hold more later than when it was measured. */
export interface SizedEntry<T> extends CacheEntry<T> {
  readonly bytes: number;
}

export interface SizedEvent<T> extends CacheEvent<T> {
  readonly entry: SizedEntry<T>;
  readonly previous: SizedEntry<T> | undefined;
}
