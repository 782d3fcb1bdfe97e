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
  /** Everything below it is cached: `/registry/pods/`. */
  readonly prefix: string;
  /** Makes what is cached of stored bytes. `note` is what the writer gave with the write, if the driver could pass it on. */
  readonly decode: (entry: KeyValue, note: unknown) => T;
  /** Bytes that a value holds, for the bounds and for the report. Asked once, right after it was decoded. */
  readonly sizeOf: (value: T) => number;
  /** How much history is kept for watchers that come back; whichever bound is met first. */
  readonly window?: Partial<WindowBounds>;
  /** Gets every problem that the cache deals with by itself: the store is away, an object cannot be decoded, a handler threw. */
  readonly onError?: (error: Error) => void;
  /** From 0 up to 1, for pauses between attempts; the machine's when absent. */
  readonly random?: () => number;
  /** Where time comes from; the machine's when absent. */
  readonly clock?: Clock;
}

export interface CacheListOptions {
  /** Only keys that are this one or after it. */
  readonly from?: string;
  /** At most so many; absent: all. */
  readonly limit?: number;
}

export interface CacheList<T> {
  readonly entries: CacheEntry<T>[];
  /** How many more there are after the last one given. */
  readonly remaining: number;
}

export interface CacheStats {
  readonly entries: number;
  /** Of the entries' values. */
  readonly bytes: number;
  readonly windowEvents: number;
  /** Of values that are only in the window. */
  readonly windowBytes: number;
  readonly watchers: number;
  /** The oldest revision that can be watched from. */
  readonly oldestRevision: number;
}

/**
 * Clients learn their place by bookmarks, once a minute, and wait for up to half a minute before they come back, so that history
 * should reach back somewhat longer: upstream keeps 75 seconds, and a hundred events however old they are. So many events are 55 a
 * second for one resource over all of the time, and 130 over those 75 seconds; the leases of a thousand nodes make 100. The bytes
 * are those of values that nothing else needs any more: room for so many events of 1.6 kB each, and few of large ones.
 */
const defaultWindow: WindowBounds = { events: 10_000, bytes: 16 * 1024 * 1024, ageMs: 180_000, oldEvents: 100 };

/**
 * What is below a prefix of a store, decoded, in memory, kept current by a watch, with the newest changes for watchers
 * that come back. Everything is as of one `revision`, the newest that the cache knows of.
 *
 * Outside of handlers' callbacks every watcher has been given everything up to `revision`, so that a bookmark may say so.
 */
export class WatchCache<T> {
  readonly #watchers: Watchers<T>;
  readonly #waiters: RevisionWaiters;
  readonly #feed: StoreFeed<T>;
  #contents: Contents<T>;
  #state: 'new' | 'filling' | 'filled' | 'stopped' = 'new';
  readonly #filled: Promise<void>;
  #settleFilled!: { resolve(): void; reject(error: Error): void };

  /** Nothing is read yet. */
  constructor(options: WatchCacheOptions<T>) {
    const { store, random = systemRandom.number, clock = systemClock } = options;
    const window = { ...defaultWindow, ...options.window };
    const onError = (error: Error) => {
      try {
        options.onError?.(error);
      } catch {
        // There is nobody left to tell, and whatever was being done must be finished.
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
    // Who does not wait for it need not hear that it was stopped.
    this.#filled.catch(() => {});
  }

  /**
   * Lists the prefix and watches it; resolves when everything stored is here. Again: the same promise. Tries as long as
   * it takes while the store is unavailable; rejects with a StoreClosedError when the cache is stopped or the store is
   * closed before.
   */
  start(): Promise<void> {
    if (this.#state === 'new') {
      this.#state = 'filling';
      void this.#feed.run();
    }
    return this.#filled;
  }

  /** Everything up to it has been applied. 0 before the start. Never goes back unless the store does. */
  get revision(): number {
    return this.#contents.revision;
  }

  /** What is there as of `revision`; nothing before the start. */
  get(key: string): CacheEntry<T> | undefined {
    return this.#contents.entries.get(key);
  }

  /** What is there below the prefix as of `revision`, in order of the keys' UTF-8 bytes; nothing before the start. */
  list(prefix: string, { from, limit = Number.POSITIVE_INFINITY }: CacheListOptions = {}): CacheList<T> {
    const { entries: stored } = this.#contents;
    const entries = stored.valuesWithPrefix(prefix, from, limit);
    return { entries, remaining: entries.length < limit ? 0 : stored.countWithPrefix(prefix, from) - entries.length };
  }

  /** How many `list` would give. */
  count(prefix: string): number {
    return this.#contents.entries.countWithPrefix(prefix);
  }

  /** Keys that are stored but cannot be decoded, and why. They are in no list: a list that would have them should fail. */
  get undecodable(): ReadonlyMap<string, Error> {
    return this.#contents.undecodable;
  }

  /**
   * Resolves with a revision that is not older than any write acknowledged before the call: what is read right after it,
   * synchronously, is consistent. Drivers in this process take no time; etcd is asked for its revision and for progress.
   * Rejects with the signal's reason; after the timeout with a TooLargeRevisionError when the store has not
   * delivered what it has, and a StoreUnavailableError when it does not answer; with a StoreClosedError after the end.
   */
  async fresh(options?: WaitOptions): Promise<number> {
    await this.#waiters.wait(undefined, options);
    return this.revision;
  }

  /**
   * Resolves when the cache has come to the revision. Rejects like `fresh`, with a TooLargeRevisionError also when the
   * revision is in the future.
   */
  waitFor(revision: number, options?: WaitOptions): Promise<void> {
    return this.#waiters.wait(revision, options);
  }

  /**
   * Delivers what happened below the prefix, or to the one key, after the revision. What happened before the call comes
   * synchronously, in one call, before this returns; the rest when it happens. `after` may be in the future.
   *
   * Throws a CompactedError when that is longer ago than the window reaches, a StoreUnavailableError before the start has
   * succeeded, a StoreClosedError after the end, a RangeError for what this cache does not hold. A handler that
   * throws is ended with an error.
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

  /** Asks the store for progress, so that `revision` comes up to date although nothing happened below the prefix. */
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

  /** Ends watchers with undefined and everybody who waits with a StoreClosedError. What is here can still be read. */
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
