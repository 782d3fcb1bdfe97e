import { type Clock, sleep } from '@coxswain/client';

const firstDelayMs = 500;
const longestDelayMs = 122_000;

interface Failure {
  readonly delayMs: number;
  readonly until: number;
}

/**
 * Work that takes its time and must not keep the rest waiting: one at a time under each name. What failed is not begun
 * again for a while, twice as long each time; whoever wants it asks again.
 *
 * Holds what runs, and what failed and was not done since.
 */
export class Operations {
  readonly #clock: Clock;
  readonly #onError: (name: string, error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, Failure>();
  /** How many of those that run only wait for their time. */
  #asleep = 0;

  constructor(clock: Clock, onError: (name: string, error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  get isIdle(): boolean {
    return this.#running.size === this.#asleep;
  }

  /** Begins the work, unless it is under way or failed a short while ago. */
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

  /** For work that waits before it goes on. Rejects when the signal is aborted. */
  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    this.#asleep++;
    try {
      await sleep(this.#clock, delayMs, signal);
    } finally {
      this.#asleep--;
    }
  }

  /** What is no longer wanted need not be remembered. */
  forget(name: string): void {
    this.#failures.delete(name);
  }

  /** Resolves when nothing is under way any more. */
  async finished(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
