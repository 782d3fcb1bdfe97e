import { repeat } from '@coxswain/apimachinery/clock';
import { CompactedError, FutureRevisionError, StoreClosedError } from '../errors.ts';
import type { Store, StoreEvent, Watch } from '../store.ts';
import type { SizedEvent } from './cache-entry.ts';
import { Contents, type ContentsOptions } from './contents.ts';

interface FeedOptions<T> extends ContentsOptions<T> {
  readonly store: Store;
  readonly prefix: string;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** All are called synchronously and must not throw. */
interface FeedHandler<T> {
  /** Everything stored is in the contents. Again when the feed had to begin anew: then nothing is said of what lies between. */
  onContents(contents: Contents<T>): void;
  /** The contents have changed; maybe only their revision. */
  onChange(changes: readonly SizedEvent<T>[]): void;
  /** The last call: the feed was stopped, or the store closed. */
  onEnd(): void;
}

/** The list is read in pages of so many, so that not all of its stored bytes are in memory at once. */
const pageSize = 10_000;

/** How often the store is asked whether everything has come, until it has. */
const pollMs = 100;

/** Pauses after a problem: each is twice the one before, until it works again; of each, up to half is left to chance. */
const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * Keeps contents like the store, for good:
 *
 * 1. **List** at an older revision, so far back as the store still knows and the window can hold.
 * 2. **Catch up** by a watch from there: what has changed since goes through the window, as if it had been there all the
 *    time. So whoever watched before a restart can go on afterwards. Then the contents are handed out.
 * 3. **Follow** the same watch. When it breaks: pause, and watch again from where it was.
 * 4. When the store no longer knows what was there, or contradicts itself: begin anew with 1, while the old contents stay
 *    in use.
 */
export class StoreFeed<T> {
  readonly #options: FeedOptions<T>;
  readonly #handler: FeedHandler<T>;
  /** What is kept current; undefined when it must be listed. */
  #contents: Contents<T> | undefined;
  /** The contents are handed out when they have come to this revision. */
  #target = 0;
  /** They have been handed out. */
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

  /** The store answers: what is not here soon has not happened. */
  get connected(): boolean {
    return this.#connected;
  }

  /** What went wrong last. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Never rejects: problems go to `onError`, and it goes on until it is stopped or the store is closed. */
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

  /** Gives why it ended; undefined when the watch was stopped or the store closed. */
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
      // No key has U+0000, so that nothing is between the last key and this.
      from = remaining > 0 && last !== undefined ? `${last.key}\u0001` : undefined;
    }
    return contents;
  }

  /** A store that was restored from a backup may never have come to where the contents are. */
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

/** There is no way on from where the contents are. */
function lostPlace(error: Error): boolean {
  return error instanceof CompactedError || error instanceof FutureRevisionError || error instanceof WrongOrderError;
}

/** The store has delivered something that it said before had been delivered. */
class WrongOrderError extends Error {
  override readonly name = 'WrongOrderError';
}

/** Changes of one revision may only come together. */
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
