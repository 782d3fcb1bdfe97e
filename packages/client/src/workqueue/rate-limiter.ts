import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { TokenBucketRateLimiter } from '../flowcontrol/token-bucket-rate-limiter.ts';

/** Determines the delay before a retry. */
export interface QueueRateLimiter {
  /** Counts a failure of the key, and returns the delay in milliseconds before the retry. */
  when(key: unknown): number;
  /** Resets the failures of the key. */
  forget(key: unknown): void;
  /** Number of failures of the key. */
  numRequeues(key: unknown): number;
}

/** Counts failures per key. Holds the keys that failed and were not forgotten. */
abstract class ItemRateLimiter implements QueueRateLimiter {
  readonly #failures = new Map<unknown, number>();

  when(key: unknown): number {
    const before = this.numRequeues(key);
    this.#failures.set(key, before + 1);
    return this.delayMs(before);
  }

  forget(key: unknown): void {
    this.#failures.delete(key);
  }

  numRequeues(key: unknown): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The delay after this number of earlier failures. */
  protected abstract delayMs(failures: number): number;
}

/** Doubles the delay after each failure of the item. */
export class ItemExponentialFailureRateLimiter extends ItemRateLimiter {
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;

  constructor(baseDelayMs: number, maxDelayMs: number) {
    super();
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  protected delayMs(failures: number): number {
    return Math.min(this.#baseDelayMs * 2 ** failures, this.#maxDelayMs);
  }
}

/** A few quick retries of the item, then slow ones. */
export class ItemFastSlowRateLimiter extends ItemRateLimiter {
  readonly #fastDelayMs: number;
  readonly #slowDelayMs: number;
  readonly #maxFastAttempts: number;

  constructor(fastDelayMs: number, slowDelayMs: number, maxFastAttempts: number) {
    super();
    this.#fastDelayMs = fastDelayMs;
    this.#slowDelayMs = slowDelayMs;
    this.#maxFastAttempts = maxFastAttempts;
  }

  protected delayMs(failures: number): number {
    return failures < this.#maxFastAttempts ? this.#fastDelayMs : this.#slowDelayMs;
  }
}

/** A token bucket shared by all items: a burst, then a steady rate. */
export class BucketRateLimiter implements QueueRateLimiter {
  readonly #bucket: TokenBucketRateLimiter;

  constructor(qps: number, burst: number, clock: Clock = systemClock) {
    this.#bucket = new TokenBucketRateLimiter({ qps, burst, clock });
  }

  when(): number {
    return this.#bucket.reserve();
  }

  forget(): void {}

  numRequeues(): number {
    return 0;
  }
}

/** Combines several limiters and uses the longest delay. */
export class MaxOfRateLimiter implements QueueRateLimiter {
  readonly #limiters: readonly QueueRateLimiter[];

  constructor(...limiters: readonly QueueRateLimiter[]) {
    this.#limiters = limiters;
  }

  when(key: unknown): number {
    return this.#limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key)), 0);
  }

  forget(key: unknown): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: unknown): number {
    return this.#limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(key)), 0);
  }
}

/** Limits the delay of another limiter. */
export class WithMaxWaitRateLimiter implements QueueRateLimiter {
  readonly #limiter: QueueRateLimiter;
  readonly #maxDelayMs: number;

  constructor(limiter: QueueRateLimiter, maxDelayMs: number) {
    this.#limiter = limiter;
    this.#maxDelayMs = maxDelayMs;
  }

  when(key: unknown): number {
    return Math.min(this.#limiter.when(key), this.#maxDelayMs);
  }

  forget(key: unknown): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: unknown): number {
    return this.#limiter.numRequeues(key);
  }
}

/**
 * The default of controllers: 5 ms to 1000 s per item, and ten retries per second for all items after a burst of 100.
 */
export function defaultControllerRateLimiter({
  clock = systemClock,
}: {
  readonly clock?: Clock;
} = {}): QueueRateLimiter {
  return new MaxOfRateLimiter(defaultItemRateLimiter(), new BucketRateLimiter(10, 100, clock));
}

/** 5 ms to 1000 s per item. */
export function defaultItemRateLimiter(): QueueRateLimiter {
  return new ItemExponentialFailureRateLimiter(5, 1_000_000);
}
