import type { Clock } from '@coxswain/apimachinery/clock';

const firstMs = 800;
const longestMs = 30_000;
/** After so long without trouble the server is taken to be healthy again. */
const resetAfterMs = 120_000;

/**
 * Delays between attempts: 0.8 s, doubling up to 30 s, each stretched by up to as much again, so that many clients who
 * lost the same server do not come back together. Begins anew after two minutes without being asked.
 *
 * Differs from client-go: it begins anew every two minutes, also while the server stays away.
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
