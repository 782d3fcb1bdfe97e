import { type Clock, sleep } from '@coxswain/client';

const firstDelayMs = 500;
const longestDelayMs = 122_000;

interface Failure {
  readonly delayMs: number;
  readonly until: number;
}

/**
 * Runs long operations in the background, one at a time per name. After a failure, `start` does nothing for a while, which
 * doubles with each failure; the caller has to call it again later.
 *
 * Holds the running operations, and the failed ones that have not succeeded since.
 */
export class Operations {
  readonly #clock: Clock;
  readonly #onError: (name: string, error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, Failure>();
  /** The number of running operations that are in `sleep`. */
  #asleep = 0;

  constructor(clock: Clock, onError: (name: string, error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  get isIdle(): boolean {
    return this.#running.size === this.#asleep;
  }

  /** Starts the operation, unless it is running or failed recently. */
  start(name: string, work: () => Promise<void>): void {
    const failure = this.#failures.get(name);
    if (this.#running.has(name) || (failure && this.#clock.now() < failure.until)) return;
    const run = async (): Promise<void> => {
      try {
        await work();
        this.#failures.delete(name);
      } catch (error) {
        const delayMs = failure ? Math.min(failure.delayMs * 2, longestDelayMs) : firstDelayMs;
        this.#failures.set(name, { delayMs, until: this.#clock.now() + delayMs });
        this.#onError(name, error);
      } finally {
        this.#running.delete(name);
      }
    };
    this.#running.set(name, Promise.resolve().then(run));
  }

  /** Lets an operation sleep. Rejects when the signal is aborted. */
  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    this.#asleep++;
    try {
      await sleep(this.#clock, delayMs, signal);
    } finally {
      this.#asleep--;
    }
  }

  /** Removes the record of failures of an operation. */
  forget(name: string): void {
    this.#failures.delete(name);
  }

  /** Resolves when the operations that are running now have ended. */
  async finished(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
