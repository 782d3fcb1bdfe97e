import type { Clock, Timer } from '@coxswain/client';

/** Timers for the evictions of pods. */
export class EvictionTimers {
  readonly #clock: Clock;
  readonly #onDue: (podKey: string) => void;
  /** One timer for each waiting pod. Pods that are due have none. */
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock, onDue: (podKey: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  has(podKey: string): boolean {
    return this.#timers.has(podKey);
  }

  /** Starts a timer. The pod must not have one. */
  set(podKey: string, delayMs: number): void {
    const dueAt = this.#clock.monotonic() + delayMs;
    // JavaScript timers are limited to about 25 days, so the timer may have to be set again.
    const wait = (): void => {
      const leftMs = dueAt - this.#clock.monotonic();
      if (leftMs > 0) {
        this.#timers.set(podKey, this.#clock.setTimeout(wait, leftMs));
        return;
      }
      this.#timers.delete(podKey);
      this.#onDue(podKey);
    };
    wait();
  }

  /** Cancels the pod's timer. Returns whether it had one. */
  cancel(podKey: string): boolean {
    this.#timers.get(podKey)?.cancel();
    return this.#timers.delete(podKey);
  }

  cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
