import type { ApiError } from '@coxswain/apimachinery/errors';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import type { CacheNeeds } from '../lazy-objects/index.ts';

/**
 * A running watch: its events, in the server's order, until it ends. It always ends, and always says why; it never
 * starts again by itself (`informers/` does that).
 *
 * ```ts
 * for await (const event of watch) …
 * const why = await watch.ended;
 * ```
 */
export interface Watch<T> extends AsyncIterable<WatchEvent<T>> {
  /**
   * All events that have come in and were not taken yet, at least one; undefined after the last. An `ERROR` event of the
   * server is not among them: it is how the watch ended. One reader at a time.
   */
  nextBatch(): Promise<readonly WatchEvent<T>[] | undefined>;
  /** Why it ended; never rejects. Known once its last event was taken, or at once when we end it. */
  readonly ended: Promise<WatchEnd>;
  /** Ends it, and lets go of the connection. */
  stop(): void;
  /** From now on its events go into a cache: members that did not change are those of the last state. */
  feed?(cache: CacheNeeds): void;
}

export type WatchEnd =
  /** The server closed it in good order: its time was over, or it shuts down. Go on from the last resourceVersion. */
  | { readonly reason: 'closed' }
  /** We ended it: `stop`, the signal, or a loop that was left. */
  | { readonly reason: 'stopped' }
  /** The server said what is wrong, such as 410 Gone: the resourceVersion is too old. */
  | { readonly reason: 'status'; readonly error: ApiError }
  /** The connection broke, or what came over it makes no sense. */
  | { readonly reason: 'broken'; readonly error: Error };
