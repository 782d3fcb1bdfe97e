import type { Clock } from '@coxswain/client';

/** This many search steps take less than a millisecond. */
const stepsBetweenLooks = 512;

export class SearchTimeout extends Error {}

/** Ends a search that takes too long. Reads the clock only every 512 steps. */
export class SearchDeadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #end = Number.POSITIVE_INFINITY;
  #steps = 0;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Starts the time for a search. */
  start(): void {
    this.#steps = 0;
    this.#end = this.#timeoutMs > 0 ? this.#clock.monotonic() + this.#timeoutMs : Number.POSITIVE_INFINITY;
  }

  /** Throws SearchTimeout when the time is over. */
  check(): void {
    if (++this.#steps % stepsBetweenLooks === 0 && this.#clock.monotonic() >= this.#end) throw new SearchTimeout();
  }
}
