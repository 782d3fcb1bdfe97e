import { type Clock, repeat, type Timer } from '@coxswain/apimachinery/clock';
import { StoreUnavailableError } from '../errors.ts';
import type { LatestRevision } from './latest-revision.ts';

export interface WaitOptions {
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal;
  /** How long to wait; 3 seconds when absent. */
  readonly timeoutMs?: number;
}

interface Waiter {
  /** What it waits for; undefined as long as it has to be asked from the store. */
  revision: number | undefined;
  /** Why the store could not say. */
  problem: Error | undefined;
  settle(error?: unknown): void;
}

interface WaitersOptions {
  readonly clock: Clock;
  readonly latest: LatestRevision;
  readonly requestProgress: () => void;
  /** What to tell those whose time is up. `revision` is undefined when not even that is known, `problem` may say why. */
  readonly timeoutError: (revision: number | undefined, problem: Error | undefined) => Error;
}

/** Upstream's, for reads that are to be not older than a revision. */
const defaultTimeoutMs = 3000;

/** How often the store is asked again, as long as somebody waits. */
const pollMs = 100;

/** Those who wait until the cache has come to a revision. As long as there are any, the store is asked for progress. */
export class RevisionWaiters {
  readonly #options: WaitersOptions;
  readonly #waiters = new Set<Waiter>();
  #reached = 0;
  #closed: Error | undefined;
  #poll: Timer | undefined;
  /** Progress has been requested in this turn: once is enough for everybody who began to wait in it. */
  #requested = false;

  constructor(options: WaitersOptions) {
    this.#options = options;
  }

  /** Resolves when the revision is reached; undefined stands for the store's newest one at the time of the call. */
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

  /** The cache has come to the revision. It may be an older one than before, if the store has lost what was after. */
  reach(revision: number): void {
    this.#reached = revision;
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) {
      if (waiter.revision !== undefined && waiter.revision <= revision) waiter.settle();
    }
  }

  /** Nobody gets anything but the error from now on. */
  close(error: Error): void {
    this.#closed = error;
    this.#poll?.cancel();
    for (const waiter of this.#waiters) waiter.settle(error);
  }

  /** Finds out what the waiter waits for. */
  #aim(waiter: Waiter): void {
    this.#options.latest.get().then(
      (revision) => {
        waiter.revision = revision;
        waiter.problem = undefined;
        if (revision <= this.#reached) waiter.settle();
        else if (this.#waiters.has(waiter)) this.#requestProgress();
      },
      (error) => {
        // The store may be back before the time is up.
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
      // It leaves by itself when nobody waits any more.
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
