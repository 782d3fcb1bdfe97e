import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenBucketOptions {
  /** Tokens that come in a second. */
  readonly qps: number;
  /** Tokens that the bucket holds; it begins full. */
  readonly burst: number;
  readonly clock?: Clock;
}

/** A bucket of tokens that fills at a steady rate; each use takes one. Who waits is served in the order of coming. */
export class TokenBucketRateLimiter implements RateLimiter {
  readonly qps: number;
  readonly burst: number;
  readonly #clock: Clock;
  /** As of `#at`. Below zero: as many have been promised to those who wait. */
  #tokens: number;
  #at: number;

  /** Throws a RangeError when nothing could ever pass. */
  constructor({ qps, burst, clock = systemClock }: TokenBucketOptions) {
    if (!(qps > 0)) throw new RangeError('qps must be more than 0');
    if (!(burst >= 1)) throw new RangeError('burst must be at least 1');
    this.qps = qps;
    this.burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  /** Whether it is as good as new. */
  get isFull(): boolean {
    this.#fill();
    return this.#tokens === this.burst;
  }

  tryAccept(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token that may come only later, and says in how many milliseconds that is. */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.qps) * 1000;
  }

  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const delayMs = this.reserve();
    if (delayMs === 0) return;
    try {
      await sleep(this.#clock, delayMs, signal);
    } catch (reason) {
      this.#tokens = Math.min(this.burst, this.#tokens + 1);
      throw reason;
    }
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.burst, this.#tokens + ((now - this.#at) / 1000) * this.qps);
    this.#at = now;
  }
}
