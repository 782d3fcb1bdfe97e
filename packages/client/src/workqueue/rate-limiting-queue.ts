import { DelayingQueue } from './delaying-queue.ts';
import { defaultControllerRateLimiter, type QueueRateLimiter } from './rate-limiter.ts';
import type { WorkQueueOptions } from './work-queue.ts';

export interface RateLimitingQueueOptions<T> extends WorkQueueOptions<T> {
  /** Called with items' keys. The default is `defaultControllerRateLimiter`. */
  readonly rateLimiter?: QueueRateLimiter;
}

/** A work queue that delays retries with a rate limiter. */
export class RateLimitingQueue<T extends NonNullable<unknown>> extends DelayingQueue<T> {
  readonly #rateLimiter: QueueRateLimiter;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    super(options);
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter({ clock: this.clock });
  }

  /** Adds the item when the rate limiter allows it. */
  addRateLimited(item: T): void {
    this.addAfter(item, this.#rateLimiter.when(this.keyOf(item)));
  }

  /** Resets the failures of an item that succeeded or is not retried. `done` must be called as well. */
  forget(item: T): void {
    this.#rateLimiter.forget(this.keyOf(item));
  }

  /** Number of calls of `addRateLimited` for the item since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(this.keyOf(item));
  }
}
