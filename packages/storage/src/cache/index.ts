/** A watch cache over any store: what is below a prefix, decoded, in memory, kept current, with a window of changes. */
export type { CacheEntry, CacheEvent } from './cache-entry.ts';
export type { WaitOptions } from './revision-waiters.ts';
export { TooLargeRevisionError } from './too-large-revision-error.ts';
export {
  type CacheList,
  type CacheListOptions,
  type CacheStats,
  WatchCache,
  type WatchCacheOptions,
} from './watch-cache.ts';
export type { CacheWatchHandler, WatchTarget } from './watchers.ts';
