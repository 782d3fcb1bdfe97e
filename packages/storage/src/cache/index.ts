/** A watch cache over any store: what is below a prefix, decoded, in memory, kept current, with a window of changes. */
export type { CacheEntry, CacheEvent } from './cache-entry.ts';

export { TooLargeRevisionError } from './too-large-revision-error.ts';
export {
  type CacheStats,
  WatchCache,
} from './watch-cache.ts';
export type { CacheWatchHandler } from './watchers.ts';
