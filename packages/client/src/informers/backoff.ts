import type { Clock } from '@coxswain/apimachinery/clock';

const firstMs = 800;
const longestMs = 30_000;
/** After this time without a call of `next`, the delay starts at the minimum again. */
const resetAfterMs = 120_000;

/**
 * Delays between attempts: 0.8 s, doubling up to 30 s, each extended by up to 100% jitter, so that many clients that
 * lost the same server do not reconnect together. Restarts after two minutes without a call.
 *
 * Differs from client-go: its backoff restarts every two minutes, even while the server stays unreachable.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #nextMs = firstMs;
  #askedAt: number | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  next(): number {
    const now = this.#clock.monotonic();
    if (this.#askedAt !== undefined && now - this.#askedAt >= resetAfterMs) this.#nextMs = firstMs;
    this.#askedAt = now;
    const delayMs = this.#nextMs;
    this.#nextMs = Math.min(delayMs * 2, longestMs);
    return delayMs * (1 + this.#random());
  }
}
