import { DelayingQueue } from './delaying-queue.ts';
import { defaultControllerRateLimiter, type QueueRateLimiter } from './rate-limiter.ts';
import type { WorkQueueOptions } from './work-queue.ts';

export interface RateLimitingQueueOptions<T> extends WorkQueueOptions<T> {
  /** Is asked with items' keys. The default is `defaultControllerRateLimiter`. */
  readonly rateLimiter?: QueueRateLimiter;
}

/** A work queue that decides itself how long something that failed has to wait. */
export class RateLimitingQueue<T extends NonNullable<unknown>> extends DelayingQueue<T> {
  readonly #rateLimiter: QueueRateLimiter;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    super(options);
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter({ clock: this.clock });
  }

  /** Adds the item once the rate limiter allows it. */
  addRateLimited(item: T): void {
    this.addAfter(item, this.#rateLimiter.when(this.keyOf(item)));
  }

  /** The item went well, or is given up: its failures no longer count. `done` must be called as well. */
  forget(item: T): void {
    this.#rateLimiter.forget(this.keyOf(item));
  }

  /** How often the item was added by `addRateLimited` since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(this.keyOf(item));
  }
}
