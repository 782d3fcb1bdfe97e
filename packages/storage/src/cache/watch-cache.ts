import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';
import { CompactedError, StoreClosedError, StoreUnavailableError } from '../errors.ts';
import type { KeyValue, Store } from '../store.ts';
import type { CacheEntry, SizedEvent } from './cache-entry.ts';
import { Contents } from './contents.ts';
import type { WindowBounds } from './event-window.ts';
import { LatestRevision } from './latest-revision.ts';
import { RevisionWaiters, type WaitOptions } from './revision-waiters.ts';
import { StoreFeed } from './store-feed.ts';
import { TooLargeRevisionError } from './too-large-revision-error.ts';
import { type CacheWatchHandler, Watchers, type WatchTarget } from './watchers.ts';

export interface WatchCacheOptions<T> {
  readonly store: Store;
  /** The prefix of the cached keys, for example `/registry/pods/`. */
  readonly prefix: string;
  /** Decodes the stored bytes to the cached value. `note` is the one passed with the write, if the driver can deliver it. */
  readonly decode: (entry: KeyValue, note: unknown) => T;
  /** Returns the size of a value in bytes, for the window's limits and for `stats`. Called once, right after decoding. */
  readonly sizeOf: (value: T) => number;
  /** The limits of the history that is kept for watchers that reconnect. The first limit reached applies. */
  readonly window?: Partial<WindowBounds>;
  /** Called with every error that the cache handles itself: the store is unavailable, an object cannot be decoded, a handler threw. */
  readonly onError?: (error: Error) => void;
  /** Returns a number from 0 up to 1 (exclusive), for the jitter of retries; the system's random numbers when absent. */
  readonly random?: () => number;
  /** The clock; the system clock when absent. */
  readonly clock?: Clock;
}

export interface CacheListOptions {
  /** Leaves out the keys before this one. */
  readonly from?: string;
  /** The largest number of entries; unlimited when absent. */
  readonly limit?: number;
}

export interface CacheList<T> {
  readonly entries: CacheEntry<T>[];
  /** The number of entries after the last one returned. */
  readonly remaining: number;
}

export interface CacheStats {
  readonly entries: number;
  /** The size of the entries' values. */
  readonly bytes: number;
  readonly windowEvents: number;
  /** The size of the values that only the window keeps alive. */
  readonly windowBytes: number;
  readonly watchers: number;
  /** The oldest revision that a watch can start after. */
  readonly oldestRevision: number;
}

/**
 * Clients get a bookmark once a minute and wait for up to half a minute before they reconnect, so the history should reach back somewhat
 * longer. Upstream keeps 75 seconds, and a hundred events however old they are. 10,000 events are 55 per second for one resource over the
 * whole 180 seconds, and 130 per second over 75 seconds; the leases of a thousand nodes make 100 per second. The bytes are those of values
 * that only the window needs: enough for 10,000 events of 1.6 kB each, or for few large ones.
 */
const defaultWindow: WindowBounds = { events: 10_000, bytes: 16 * 1024 * 1024, ageMs: 180_000, oldEvents: 100 };

/**
 * A cache of the decoded objects below a prefix of a store, kept current by a watch, with the newest events for watchers that reconnect.
 * The whole state is that of one `revision`, the newest that the cache knows.
 *
 * Outside of handlers' callbacks every watcher has received all changes up to `revision`, so that a bookmark may carry that revision.
 */
export class WatchCache<T> {
  readonly #watchers: Watchers<T>;
  readonly #waiters: RevisionWaiters;
  readonly #feed: StoreFeed<T>;
  #contents: Contents<T>;
  #state: 'new' | 'filling' | 'filled' | 'stopped' = 'new';
  readonly #filled: Promise<void>;
  #settleFilled!: { resolve(): void; reject(error: Error): void };

  /** Does not read anything yet; `start` does. */
  constructor(options: WatchCacheOptions<T>) {
    const { store, random = systemRandom.number, clock = systemClock } = options;
    const window = { ...defaultWindow, ...options.window };
    const onError = (error: Error) => {
      try {
        options.onError?.(error);
      } catch {
        // An error of the error handler itself cannot be reported, and must not interrupt the caller.
      }
    };
    const complete = { ...options, onError, random, clock, window };
    this.#contents = new Contents(0, complete);
    this.#watchers = new Watchers(options.prefix, onError);
    this.#feed = new StoreFeed(complete, {
      onContents: (contents) => this.#replace(contents),
      onChange: (changes) => this.#changed(changes),
      onEnd: () => this.stop(),
    });
    this.#waiters = new RevisionWaiters({
      clock,
      latest: new LatestRevision(() => store.currentRevision()),
      requestProgress: () => this.#feed.requestProgress(),
      timeoutError: (revision, problem) => {
        if (this.#feed.connected && revision !== undefined) return new TooLargeRevisionError(revision, this.revision);
        const cause = problem ?? this.#feed.lastError;
        return new StoreUnavailableError('the store did not answer in time', { cause });
      },
    });
    this.#filled = new Promise((resolve, reject) => {
      this.#settleFilled = { resolve, reject };
    });
    // When nobody awaits `start`, its rejection must not be an unhandled one.
    this.#filled.catch(() => {});
  }

  /**
   * Lists the prefix and watches it. Resolves when everything stored is in the cache. Further calls return the same promise. Retries
   * without limit while the store is unavailable. Rejects with a StoreClosedError when the cache is stopped or the store is closed before
   * that.
   */
  start(): Promise<void> {
    if (this.#state === 'new') {
      this.#state = 'filling';
      void this.#feed.run();
    }
    return this.#filled;
  }

  /** All changes up to this revision have been applied. 0 before `start` has finished. Never goes back unless the store does. */
  get revision(): number {
    return this.#contents.revision;
  }

  /** Returns the key's entry at `revision`; undefined before `start` has finished. */
  get(key: string): CacheEntry<T> | undefined {
    return this.#contents.entries.get(key);
  }

  /** Returns the entries below the prefix at `revision`, in order of the keys' UTF-8 bytes; none before `start` has finished. */
  list(prefix: string, { from, limit = Number.POSITIVE_INFINITY }: CacheListOptions = {}): CacheList<T> {
    const { entries: stored } = this.#contents;
    const entries = stored.valuesWithPrefix(prefix, from, limit);
    return { entries, remaining: entries.length < limit ? 0 : stored.countWithPrefix(prefix, from) - entries.length };
  }

  /** Returns the number of entries below the prefix. */
  count(prefix: string): number {
    return this.#contents.entries.countWithPrefix(prefix);
  }

  /** Keys that are stored but cannot be decoded, with the reasons. `list` leaves them out: a caller whose list includes one should fail. */
  get undecodable(): ReadonlyMap<string, Error> {
    return this.#contents.undecodable;
  }

  /**
   * Resolves with a revision that is not older than any write acknowledged before the call: a read right after it, in the same synchronous
   * code, is consistent. This takes no time with drivers in this process; etcd is asked for its revision and for progress.
   *
   * Rejects with the signal's reason when aborted. After the timeout, rejects with a TooLargeRevisionError when the store has not delivered
   * all changes, and with a StoreUnavailableError when it does not answer. Rejects with a StoreClosedError when the cache is stopped.
   */
  async fresh(options?: WaitOptions): Promise<number> {
    await this.#waiters.wait(undefined, options);
    return this.revision;
  }

  /**
   * Resolves when the cache has reached the revision. Rejects like `fresh`, with a TooLargeRevisionError also when the revision is newer
   * than the store's.
   */
  waitFor(revision: number, options?: WaitOptions): Promise<void> {
    return this.#waiters.wait(revision, options);
  }

  /**
   * Delivers the changes below the prefix, or of the one key, after the revision `after`. Changes before the call are delivered
   * synchronously, in one batch, before this returns; later ones when they happen. `after` may be in the future.
   *
   * Throws a CompactedError when `after` is older than the window, a StoreUnavailableError before `start` has finished, a StoreClosedError
   * when the cache is stopped, and a RangeError for a target outside of the prefix. A handler that throws is ended with an error.
   */
  watch(target: WatchTarget, after: number, handler: CacheWatchHandler<T>): { stop(): void } {
    const { window, revision } = this.#contents;
    if (this.#state === 'stopped') throw new StoreClosedError();
    if (this.#state !== 'filled') throw new StoreUnavailableError('the watch cache is not filled yet');
    if (after < window.oldestRevision) throw new CompactedError(after, window.oldestRevision);
    const missed = after < revision ? window.since(after, matcher(target)) : [];
    const watcher = this.#watchers.add(target, Math.max(after, revision), missed, handler);
    return { stop: () => watcher.end(undefined) };
  }

  /** Requests progress from the store, which brings `revision` up to date when nothing has changed below the prefix. */
  requestProgress(): void {
    this.#feed.requestProgress();
  }

  get stats(): CacheStats {
    const { entries, bytes, window } = this.#contents;
    return {
      entries: entries.size,
      bytes,
      windowEvents: window.length,
      windowBytes: window.bytes,
      watchers: this.#watchers.size,
      oldestRevision: window.oldestRevision,
    };
  }

  /** Ends all watchers with undefined and rejects all waits with a StoreClosedError. The contents can still be read. */
  stop(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    const error = new StoreClosedError();
    this.#feed.stop();
    this.#waiters.close(error);
    this.#settleFilled.reject(error);
    this.#watchers.endAll(undefined);
  }

  #replace(contents: Contents<T>): void {
    const before = this.#contents.revision;
    this.#contents = contents;
    this.#waiters.reach(contents.revision);
    if (this.#state === 'filling') {
      this.#state = 'filled';
      this.#settleFilled.resolve();
    }
    this.#watchers.endAll(new CompactedError(before, contents.window.oldestRevision));
  }

  #changed(changes: readonly SizedEvent<T>[]): void {
    this.#waiters.reach(this.#contents.revision);
    this.#watchers.dispatch(changes);
  }
}

function matcher(target: WatchTarget): (key: string) => boolean {
  return typeof target === 'string' ? (key) => key.startsWith(target) : (key) => key === target.key;
}
