/**
 * The storage of a cluster's objects: a key-value store with one growing revision, compare-and-swap, reads at a
 * revision, watches with history, compaction and keys that expire. `Store` is the specification; the drivers differ in
 * where they keep the data.
 *
 * The store handles bytes, not kinds: encoding, validation and resourceVersions of objects belong to the API server.
 *
 * Start with `openMemoryStore` in tests and `openLmdbStore` for a store that outlives its process.
 */
export {
  type CacheEntry,
  type CacheEvent,
  type CacheStats,
  type CacheWatchHandler,
  TooLargeRevisionError,
  WatchCache,
} from './cache/index.ts';
export {
  CompactedError,
  FutureRevisionError,
  StoreClosedError,
  StoreFullError,
  StoreUnavailableError,
} from './errors.ts';
export { type EtcdStoreOptions, openEtcdStore, RequestTooLargeError } from './etcd/index.ts';
export { DataDirectoryError } from './lmdb/data-directory-error.ts';
export { DirectoryLock } from './lmdb/directory-lock.ts';
export { makeDirectory } from './lmdb/make-directory.ts';
export { type StoreSnapshot, snapshotOf } from './memory/memory-log.ts';
export type { MemoryStore } from './memory/memory-store.ts';
export { type LmdbStoreOptions, type MemoryStoreOptions, openLmdbStore, openMemoryStore } from './open-store.ts';
export type {
  DeleteOptions,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  PutOptions,
  ReadOptions,
  Store,
  StoreEvent,
  Watch,
  WatchHandler,
  WriteResult,
} from './store.ts';
