import type { KeyValue, Store } from '../store.ts';

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

export interface WatchCacheOptions<T> {
  readonly store: Store;
  /** Everything below it is cached: `/registry/pods/`. */
  readonly prefix: string;
  /** Makes what is cached of stored bytes. `note` is what the writer gave with the write, if the driver could pass it on. */
  readonly decode: (entry: KeyValue, note: unknown) => T;
  /** Bytes that a value holds, for the bounds and for the report. */
  readonly sizeOf: (value: T) => number;
  /** How much history is kept for watchers that come back; whichever bound is met first. */
  readonly window?: { readonly events: number; readonly bytes: number };
}

export interface CacheWatchHandler<T> {
  /** Changes below the watcher's prefix, in order; called synchronously, with the same array for watchers of the same prefix. */
  onEvents(events: readonly CacheEvent<T>[]): void;
  /** The last call: undefined when it was stopped, an error when the cache lost its place and the watcher must list again. */
  onEnd(error: Error | undefined): void;
}
