import { type Counter, noMetrics } from '../observe/metrics.ts';
import { DelayedItems } from './delayed-items.ts';
import { IndexedHeap } from './indexed-heap.ts';
import type { QueueEntry, ReadyList } from './queue-entry.ts';
import { retriesMetric } from './queue-metrics.ts';
import { defaultItemRateLimiter, type QueueRateLimiter } from './rate-limiter.ts';
import type { RateLimitingQueueOptions } from './rate-limiting-queue.ts';
import { WorkQueue } from './work-queue.ts';

/** Priority for the initial list of a controller and for resyncs, so that current changes come first. */
export const lowPriority = -100;

export interface AddOptions {
  /** Delay in milliseconds. */
  readonly after?: number;
  /** Adds when the rate limiter allows it; together with `after`, whichever is earlier. */
  readonly rateLimited?: boolean;
  /** Zero by default. */
  readonly priority?: number;
}

/**
 * A work queue that returns the highest priority first, and within a priority first in, first out. It holds an item
 * once: when it is added again, the higher priority and the earlier time are kept. All operations are O(log n).
 *
 * A continuous stream of urgent items starves the others.
 */
export class PriorityQueue<T extends NonNullable<unknown>> extends WorkQueue<T> {
  readonly #ready: PriorityReadyList<T>;
  /** Keys in here are not queued. A key is queued at its time, or earlier by another add. */
  readonly #delayed: DelayedItems<T>;
  readonly #rateLimiter: QueueRateLimiter;
  readonly #retries: Counter | undefined;
  readonly #name: string;

  /** The default rate limiter is per item: `defaultItemRateLimiter`. */
  constructor(options: RateLimitingQueueOptions<T> = {}) {
    const ready = new PriorityReadyList<T>();
    super(options, ready);
    this.#ready = ready;
    this.#delayed = new DelayedItems(this.clock, ({ key, item, priority }) => this.enqueue(key, item, priority));
    this.#rateLimiter = options.rateLimiter ?? defaultItemRateLimiter();
    this.#name = options.name ?? '';
    this.#retries = retriesMetric(options.metrics ?? noMetrics, this.#name);
  }

  /** Does nothing when the queue is shutting down. */
  addWithOpts({ after = 0, rateLimited = false, priority = 0 }: AddOptions, ...items: readonly T[]): void {
    if (this.isShuttingDown) return;
    for (const item of items) {
      const key = this.keyOf(item);
      const limit = rateLimited ? this.#rateLimiter.when(key) : after;
      const delayMs = after > 0 ? Math.min(after, limit) : limit;
      if (delayMs > 0) this.#later(key, item, delayMs, priority);
      else this.#now(key, item, priority);
    }
  }

  override add(item: T, priority = 0): void {
    this.addWithOpts({ priority }, item);
  }

  addAfter(item: T, delayMs: number, priority = 0): void {
    this.addWithOpts({ after: delayMs, priority }, item);
  }

  addRateLimited(item: T, priority = 0): void {
    this.addWithOpts({ rateLimited: true, priority }, item);
  }

  forget(item: T): void {
    this.#rateLimiter.forget(this.keyOf(item));
  }

  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(this.keyOf(item));
  }

  /** The priority with which an item was taken that is being processed; a retry should keep it. */
  priorityOf(item: T): number | undefined {
    const entry = this.entry(this.keyOf(item));
    return entry && entry.state !== 'queued' ? entry.takenPriority : undefined;
  }

  protected override raise(entry: QueueEntry<T>, priority: number): void {
    super.raise(entry, priority);
    if (entry.state === 'queued') this.#ready.fix(entry);
  }

  protected override onShutDown(): void {
    this.#delayed.clear();
  }

  #now(key: unknown, item: T, priority: number): void {
    const delayed = this.#delayed.take(key);
    this.enqueue(key, item, delayed ? Math.max(delayed.priority, priority) : priority);
  }

  #later(key: unknown, item: T, delayMs: number, priority: number): void {
    this.#retries?.add(1, this.#name);
    const entry = this.entry(key);
    if (entry && entry.state !== 'processing') this.enqueue(key, item, priority);
    else this.#delayed.put(key, item, delayMs, priority);
  }
}

class PriorityReadyList<T> implements ReadyList<T> {
  readonly #heap = new IndexedHeap<QueueEntry<T>>((a, b) =>
    a.priority === b.priority ? a.order < b.order : a.priority > b.priority,
  );
  #order = 0;

  get size(): number {
    return this.#heap.size;
  }

  push(entry: QueueEntry<T>): void {
    entry.order = this.#order++;
    this.#heap.push(entry);
  }

  pop(): QueueEntry<T> | undefined {
    return this.#heap.pop();
  }

  fix(entry: QueueEntry<T>): void {
    this.#heap.fix(entry);
  }
}
