import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenBucketOptions {
  /** Tokens added per second. */
  readonly qps: number;
  /** Capacity of the bucket, which is full initially. */
  readonly burst: number;
  readonly clock?: Clock;
}

/** A token bucket that refills at a steady rate. Waiting calls are served in order. */
export class TokenBucketRateLimiter implements RateLimiter {
  readonly qps: number;
  readonly burst: number;
  readonly #clock: Clock;
  /** Tokens at the time `#at`. Negative when tokens are reserved for waiting calls. */
  #tokens: number;
  #at: number;

  /** Throws a RangeError when `qps` is not positive or `burst` is less than 1. */
  constructor({ qps, burst, clock = systemClock }: TokenBucketOptions) {
    if (!(qps > 0)) throw new RangeError('qps must be more than 0');
    if (!(burst >= 1)) throw new RangeError('burst must be at least 1');
    this.qps = qps;
    this.burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  /** Whether the bucket is full, as after construction. */
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

  /** Reserves a token, and returns the number of milliseconds until it is available. */
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
