import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { TokenBucketRateLimiter } from '../flowcontrol/token-bucket-rate-limiter.ts';

/** Decides how long something has to wait before it is tried again. */
export interface QueueRateLimiter {
  /** Counts one more failure of the key, and says in how many milliseconds it may be tried again. */
  when(key: unknown): number;
  /** The key's failures no longer count. */
  forget(key: unknown): void;
  /** How many failures the key has had. */
  numRequeues(key: unknown): number;
}

/** Counts per key; holds those that failed and were not forgotten. */
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

  /** After so many failures before this one. */
  protected abstract delayMs(failures: number): number;
}

/** Twice as long after each failure of the item. */
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

/** All items together: so many at once, and from then on so many per second. */
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

/** Asks several and takes the longest wait. */
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

/** Another limiter, but never longer than so much. */
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

/** What controllers use: 5 ms to 1000 s per item, and ten retries a second for all items after a hundred at once. */
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
