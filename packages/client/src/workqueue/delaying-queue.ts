import type { Counter } from '../observe/metrics.ts';
import { noMetrics } from '../observe/metrics.ts';
import { DelayedItems } from './delayed-items.ts';
import { retriesMetric } from './queue-metrics.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

/** A work queue that can add items after a delay, so that failures are not retried at once. */
export class DelayingQueue<T extends NonNullable<unknown>> extends WorkQueue<T> {
  readonly #delayed: DelayedItems<T>;
  readonly #retries: Counter | undefined;
  readonly #name: string;

  constructor(options: WorkQueueOptions<T> = {}) {
    super(options);
    this.#name = options.name ?? '';
    this.#retries = retriesMetric(options.metrics ?? noMetrics, this.#name);
    this.#delayed = new DelayedItems(this.clock, ({ key, item }) => this.enqueue(key, item, 0));
  }

  /**
   * Adds the item after the delay; at once when the delay is not positive. Of several delays for one item the earliest
   * time counts. Does nothing when the queue is shutting down; delayed items are dropped then.
   */
  addAfter(item: T, delayMs: number): void {
    if (this.isShuttingDown) return;
    this.#retries?.add(1, this.#name);
    if (delayMs > 0) this.#delayed.put(this.keyOf(item), item, delayMs, 0);
    else this.add(item);
  }

  protected override onShutDown(): void {
    this.#delayed.clear();
  }
}
