import type { ApiError } from '@coxswain/apimachinery/errors';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import type { CacheNeeds } from '../lazy-objects/index.ts';

/**
 * A running watch: its events, in the server's order, until it ends. It always ends with a reason, and never restarts
 * by itself (`informers/` does that).
 *
 * ```ts
 * for await (const event of watch) …
 * const why = await watch.ended;
 * ```
 */
export interface Watch<T> extends AsyncIterable<WatchEvent<T>> {
  /**
   * Returns all received events that were not returned yet, at least one; undefined after the last. An `ERROR` event is
   * not returned: it ends the watch. Only one reader at a time.
   */
  nextBatch(): Promise<readonly WatchEvent<T>[] | undefined>;
  /**
   * Resolves with the reason of the end; never rejects. Resolves after the last event was returned, or at once when the
   * client ends the watch.
   */
  readonly ended: Promise<WatchEnd>;
  /** Ends the watch and closes its connection. */
  stop(): void;
  /** Declares that the events go into a cache: unchanged members of objects are then those of the previous state. */
  feed?(cache: CacheNeeds): void;
}

export type WatchEnd =
  /** The server closed it normally: it timed out, or the server shuts down. Resume from the last resourceVersion. */
  | { readonly reason: 'closed' }
  /** The client ended it: `stop`, the signal, or leaving a loop. */
  | { readonly reason: 'stopped' }
  /** The server sent an error, such as 410 Gone: the resourceVersion is too old. */
  | { readonly reason: 'status'; readonly error: ApiError }
  /** The connection broke, or the data was invalid. */
  | { readonly reason: 'broken'; readonly error: Error };
