/**
 * A watch cache over any store: the decoded objects below a prefix in memory, kept current by a watch, with a window of
 * recent events.
 */
export type { CacheEntry, CacheEvent } from './cache-entry.ts';

export { TooLargeRevisionError } from './too-large-revision-error.ts';
export {
  type CacheStats,
  WatchCache,
} from './watch-cache.ts';
export type { CacheWatchHandler } from './watchers.ts';
