import type { Clock, Timer } from '@coxswain/client';

/** When pods are to go. */
export class EvictionTimers {
  readonly #clock: Clock;
  readonly #onDue: (podKey: string) => void;
  /** One for each pod that waits; none for those that are due. */
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock, onDue: (podKey: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  has(podKey: string): boolean {
    return this.#timers.has(podKey);
  }

  /** The pod must not have one. */
  set(podKey: string, delayMs: number): void {
    const dueAt = this.#clock.monotonic() + delayMs;
    // Timers of the machine end after 25 days at most.
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

  /** Whether the pod had one. */
  cancel(podKey: string): boolean {
    this.#timers.get(podKey)?.cancel();
    return this.#timers.delete(podKey);
  }

  cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
