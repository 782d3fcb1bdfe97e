import { type Clock, repeat, type Timer } from '@coxswain/apimachinery/clock';
import { StoreUnavailableError } from '../errors.ts';
import type { LatestRevision } from './latest-revision.ts';

export interface WaitOptions {
  /** Aborts the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The longest wait; 3 seconds when absent. */
  readonly timeoutMs?: number;
}

interface Waiter {
  /** The revision to wait for; undefined until the store's current revision has been read. */
  revision: number | undefined;
  /** Why reading the store's revision failed. */
  problem: Error | undefined;
  settle(error?: unknown): void;
}

interface WaitersOptions {
  readonly clock: Clock;
  readonly latest: LatestRevision;
  readonly requestProgress: () => void;
  /**
   * Makes the error for a wait that timed out. `revision` is undefined when the store's revision could not be read;
   * `problem` may have the reason.
   */
  readonly timeoutError: (revision: number | undefined, problem: Error | undefined) => Error;
}

/** Upstream's timeout for reads that must not be older than a revision. */
const defaultTimeoutMs = 3000;

/** The interval of progress requests while there are waiters. */
const pollMs = 100;

/**
 * Lets callers wait until the cache has reached a revision. While there are waiters, progress is requested from the
 * store.
 */
export class RevisionWaiters {
  readonly #options: WaitersOptions;
  readonly #waiters = new Set<Waiter>();
  #reached = 0;
  #closed: Error | undefined;
  #poll: Timer | undefined;
  /** True when progress has been requested in this turn: one request serves all waits that begin in it. */
  #requested = false;

  constructor(options: WaitersOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the cache has reached the revision; undefined means the store's newest one at the time of the call.
   */
  wait(revision: number | undefined, { signal, timeoutMs = defaultTimeoutMs }: WaitOptions = {}): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (revision !== undefined && revision <= this.#reached) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = () => waiter.settle(signal?.reason);
      const timer = this.#options.clock.setTimeout(
        () => waiter.settle(this.#options.timeoutError(waiter.revision, waiter.problem)),
        timeoutMs,
      );
      const waiter: Waiter = {
        revision,
        problem: undefined,
        settle: (...failure) => {
          timer.cancel();
          signal?.removeEventListener('abort', onAbort);
          this.#waiters.delete(waiter);
          if (failure.length > 0) reject(failure[0]);
          else resolve();
        },
      };
      signal?.addEventListener('abort', onAbort);
      this.#waiters.add(waiter);
      if (revision === undefined) this.#aim(waiter);
      else this.#requestProgress();
    });
  }

  /**
   * Notes that the cache has reached the revision and resolves its waiters. It may be lower than before, if the store
   * was restored to an older state.
   */
  reach(revision: number): void {
    this.#reached = revision;
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) {
      if (waiter.revision !== undefined && waiter.revision <= revision) waiter.settle();
    }
  }

  /** Rejects all current and later waits with the error. */
  close(error: Error): void {
    this.#closed = error;
    this.#poll?.cancel();
    for (const waiter of this.#waiters) waiter.settle(error);
  }

  /** Sets the waiter's revision to the store's current one. */
  #aim(waiter: Waiter): void {
    this.#options.latest.get().then(
      (revision) => {
        waiter.revision = revision;
        waiter.problem = undefined;
        if (revision <= this.#reached) waiter.settle();
        else if (this.#waiters.has(waiter)) this.#requestProgress();
      },
      (error) => {
        // The store may be available again before the timeout.
        if (!(error instanceof StoreUnavailableError)) waiter.settle(error);
        waiter.problem = error;
        this.#keepPolling();
      },
    );
  }

  #requestProgress(): void {
    this.#keepPolling();
    if (this.#requested) return;
    this.#requested = true;
    queueMicrotask(() => {
      this.#requested = false;
    });
    this.#options.requestProgress();
  }

  #keepPolling(): void {
    if (this.#poll !== undefined || this.#waiters.size === 0) return;
    const look = (): void => {
      // The poll stops when there are no waiters.
      if (this.#waiters.size === 0) {
        this.#poll?.cancel();
        this.#poll = undefined;
        return;
      }
      this.#options.requestProgress();
      for (const waiter of this.#waiters) if (waiter.problem !== undefined) this.#aim(waiter);
    };
    this.#poll = repeat(this.#options.clock, look, pollMs, { background: true });
  }
}
