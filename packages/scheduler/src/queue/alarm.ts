import type { Clock, Timer } from '@coxswain/client';

/**
 * A timer that can be set to several times. It calls `ring` once, at the earliest of the times set since the last call.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #next: { readonly at: number; readonly timer: Timer } | undefined;
  #isStopped = false;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  setAt(at: number): void {
    if (this.#isStopped || (this.#next && this.#next.at <= at)) return;
    this.#next?.timer.cancel();
    const timer = this.#clock.setTimeout(() => {
      this.#next = undefined;
      this.#ring();
    }, at - this.#clock.now());
    this.#next = { at, timer };
  }

  /** Stops the alarm permanently. */
  stop(): void {
    this.#isStopped = true;
    this.#next?.timer.cancel();
    this.#next = undefined;
  }
}
