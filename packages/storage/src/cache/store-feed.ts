import { repeat } from '@coxswain/apimachinery/clock';
import { CompactedError, FutureRevisionError, StoreClosedError } from '../errors.ts';
import type { Store, StoreEvent, Watch } from '../store.ts';
import type { SizedEvent } from './cache-entry.ts';
import { Contents, type ContentsOptions } from './contents.ts';

interface FeedOptions<T> extends ContentsOptions<T> {
  readonly store: Store;
  readonly prefix: string;
  /** Returns a number from 0 up to 1 (exclusive). */
  readonly random: () => number;
}

/** All methods are called synchronously and must not throw. */
interface FeedHandler<T> {
  /** The contents hold everything stored. Called again when the feed had to list again: the changes in between are then not reported. */
  onContents(contents: Contents<T>): void;
  /** The contents have changed, or only their revision has. */
  onChange(changes: readonly SizedEvent<T>[]): void;
  /** The last call: the feed was stopped, or the store was closed. */
  onEnd(): void;
}

/** The list is read in pages of this size, so that not all of its stored bytes are in memory at once. */
const pageSize = 10_000;

/** The interval of progress requests until the feed has caught up. */
const pollMs = 100;

/**
 * The pause after a failure doubles with each further failure up to the longest one, and starts over after a success. Random jitter
 * shortens it by up to half.
 */
const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * Keeps contents in step with the store until it is stopped:
 *
 * 1. **List** at an older revision, as far back as the store's history and the window's size allow.
 * 2. **Catch up** by a watch from that revision: the changes since then fill the window, as if it had existed all the time. So clients that
 *    watched before a restart can resume. Then the contents are passed to the handler.
 * 3. **Follow** the same watch. When it breaks: pause, and watch again from the last revision.
 * 4. When the store has compacted that revision, or sends events out of order: start again with 1, while the old contents stay in use.
 */
export class StoreFeed<T> {
  readonly #options: FeedOptions<T>;
  readonly #handler: FeedHandler<T>;
  /** The contents being kept current; undefined when they must be listed. */
  #contents: Contents<T> | undefined;
  /** The contents are passed to the handler when they have reached this revision. */
  #target = 0;
  /** True when the contents have been passed to the handler. */
  #current = false;
  #watch: Watch | undefined;
  #connected = false;
  #failures = 0;
  #lastError: Error | undefined;
  #stopped = false;
  #endPause: (() => void) | undefined;

  constructor(options: FeedOptions<T>, handler: FeedHandler<T>) {
    this.#options = options;
    this.#handler = handler;
  }

  /** True when the current watch has delivered events or progress: the store answers. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The last failure. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Runs until it is stopped or the store is closed. Never rejects: failures are passed to `onError`. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const error = await this.#attempt();
      this.#connected = false;
      this.#watch = undefined;
      if (this.#stopped || error === undefined || error instanceof StoreClosedError) break;
      this.#lastError = error;
      this.#options.onError(error);
      if (lostPlace(error)) {
        this.#contents = undefined;
        this.#current = false;
      }
      await this.#pause();
    }
    this.stop();
    this.#handler.onEnd();
  }

  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.stop();
    this.#endPause?.();
  }

  /** Returns the error that ended the attempt; undefined when the watch was stopped or the store was closed. */
  async #attempt(): Promise<Error | undefined> {
    try {
      if (this.#contents === undefined) this.#contents = await this.#list();
      else await this.#checkPlace(this.#contents.revision);
      return this.#stopped ? undefined : await this.#follow(this.#contents);
    } catch (error) {
      return error instanceof Error ? error : new Error('the store failed', { cause: error });
    }
  }

  async #list(): Promise<Contents<T>> {
    const { store, prefix, window } = this.#options;
    const [current, compacted] = await Promise.all([store.currentRevision(), store.compactedRevision()]);
    const revision = Math.max(1, compacted, current - window.events);
    const contents = new Contents<T>(revision, this.#options);
    this.#target = current;
    let from: string | undefined = prefix;
    while (from !== undefined && !this.#stopped) {
      const { entries, remaining } = await store.list(prefix, { revision, from, limit: pageSize });
      for (const entry of entries) contents.load(entry);
      const last = entries.at(-1);
      // Keys contain no U+0000, so there is no key between the last one and this.
      from = remaining > 0 && last !== undefined ? `${last.key}\u0001` : undefined;
    }
    return contents;
  }

  /** Throws when the store's revision is lower than that of the contents: the store was restored from a backup. */
  async #checkPlace(revision: number): Promise<void> {
    const current = await this.#options.store.currentRevision();
    if (current < revision) throw new FutureRevisionError(revision, current);
  }

  #follow(contents: Contents<T>): Promise<Error | undefined> {
    const { store, prefix } = this.#options;
    return new Promise((resolve) => {
      let ended = false;
      const end = (error: Error | undefined) => {
        ended = true;
        poll.cancel();
        resolve(error);
      };
      const changed = (changes: readonly SizedEvent<T>[]) => {
        this.#failures = 0;
        this.#connected = true;
        if (this.#current) this.#handler.onChange(changes);
        if (contents.revision < this.#target) return;
        poll.cancel();
        if (this.#current) return;
        this.#current = true;
        this.#handler.onContents(contents);
      };
      const watch = store.watch(prefix, contents.revision, {
        onEvents: (events) => {
          if (ended) return;
          const error = orderError(events, contents.revision);
          if (error === undefined) return changed(contents.apply(events));
          end(error);
          watch.stop();
        },
        onProgress: (revision) => {
          if (ended) return;
          contents.advance(revision);
          changed([]);
        },
        onEnd: end,
      });
      this.#watch = watch;
      const poll = repeat(this.#options.clock, () => watch.requestProgress(), pollMs);
      watch.requestProgress();
    });
  }

  #pause(): Promise<void> {
    const longest = Math.min(firstPauseMs * 2 ** this.#failures++, longestPauseMs);
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimeout(resolve, longest * (1 - this.#options.random() / 2));
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** Whether the contents must be listed again after this error. */
function lostPlace(error: Error): boolean {
  return error instanceof CompactedError || error instanceof FutureRevisionError || error instanceof WrongOrderError;
}

/** The store has delivered a change with a revision it had already passed. */
class WrongOrderError extends Error {
  override readonly name = 'WrongOrderError';
}

/** Returns an error when a revision is out of order. Several changes of one revision must come in one batch. */
function orderError(events: readonly StoreEvent[], after: number): Error | undefined {
  let last = after + 1;
  for (const { key, revision } of events) {
    if (revision < last) {
      return new WrongOrderError(
        `the store sent revision ${revision} of ${key} when ${last - 1} had been sent already`,
      );
    }
    last = revision;
  }
  return undefined;
}
