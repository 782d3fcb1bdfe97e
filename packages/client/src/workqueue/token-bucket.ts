import type { Clock } from '../clock/clock.ts';

export interface TokenBucketOptions {
  /** Tokens that come back per second. */
  readonly qps: number;
  /** As many as the bucket holds; it starts full. */
  readonly burst: number;
  readonly clock: Clock;
}

/** So many at once, and from then on so many per second. */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** As of `#at`. Below zero when tokens were promised for later. */
  #tokens: number;
  #at: number;

  constructor({ qps, burst, clock }: TokenBucketOptions) {
    this.#qps = qps;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  /** Takes a token that may come only later, and says in how many milliseconds that is. */
  reserve(): number {
    this.#refill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }

  /** Takes a token if there is one. */
  tryAccept(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#qps);
    this.#at = now;
  }
}
