/** The cached state of one key. Immutable and shared. */
export interface CacheEntry<T> {
  readonly key: string;
  /** The key's modRevision. */
  readonly revision: number;
  readonly value: T;
}

/** A change of one key. All watchers get the same object, so that data derived from it can be attached to it once. */
export interface CacheEvent<T> {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** The new state; for a deletion, the last state. */
  readonly entry: CacheEntry<T>;
  /** The state before; absent for a new key. For a deletion the same object as `entry`. */
  readonly previous?: CacheEntry<T>;
}

/** An entry with its size as measured when it was added: the value may use more memory later. */
export interface SizedEntry<T> extends CacheEntry<T> {
  readonly bytes: number;
}

export interface SizedEvent<T> extends CacheEvent<T> {
  readonly entry: SizedEntry<T>;
  readonly previous: SizedEntry<T> | undefined;
}
