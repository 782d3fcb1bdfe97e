import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { FifoReadyList, QueueEntry, type ReadyList } from './queue-entry.ts';
import { type QueueMetrics, queueMetrics } from './queue-metrics.ts';

export interface WorkQueueOptions<T> {
  /** Name in metrics. A queue without a name has no metrics. */
  readonly name?: string;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /**
   * Returns the key of an item; items with the same key are the same. By default an item is its own key: strings by
   * value, objects by identity.
   */
  readonly keyOf?: (item: T) => unknown;
}

interface Waiter<T> {
  /** Resolves the pending `get` with an item, or undefined when the queue is shut down. */
  readonly resolve: (item: T | undefined) => void;
}

/**
 * A work queue, first in, first out:
 * - An item that is added several times before it is taken is returned once.
 * - An item is never processed by two workers at the same time. If it is added while it is processed, it is queued after
 *   `done`.
 * - No added item is lost before `shutDown`.
 *
 * All operations are O(1). It holds only the distinct items that were added and are not done.
 */
export class WorkQueue<T extends NonNullable<unknown>> {
  protected readonly clock: Clock;
  readonly #keyOf: ((item: T) => unknown) | undefined;
  readonly #metrics: QueueMetrics<T> | undefined;
  /** Every key that is queued or being processed. The queued ones, and only those, are in `#ready`. */
  readonly #entries = new Map<unknown, QueueEntry<T>>();
  readonly #ready: ReadyList<T>;
  /** Pending `get` calls, oldest first. Empty while `#ready` is not. */
  readonly #waiters = new Set<Waiter<T>>();
  #shuttingDown = false;
  #onDrained: (() => void)[] = [];

  /** Subclasses pass `ready` to define the order of items. */
  constructor(options: WorkQueueOptions<T> = {}, ready: ReadyList<T> = new FifoReadyList()) {
    this.clock = options.clock ?? systemClock;
    this.#keyOf = options.keyOf;
    this.#metrics = queueMetrics(options.metrics ?? noMetrics, options.name ?? '', this.clock);
    this.#ready = ready;
  }

  /** Queues the item, unless it is queued already. Does nothing when the queue is shutting down. */
  add(item: T): void {
    this.enqueue(this.keyOf(item), item, 0);
  }

  /** Number of queued items. */
  get len(): number {
    return this.#ready.size;
  }

  /** True when no item is queued or being processed. Delayed items do not count. */
  get isIdle(): boolean {
    return this.#entries.size === 0;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /**
   * Takes the next item, as soon as there is one; the caller must call `done` for it. Resolves with undefined when the
   * queue is shutting down and empty. Rejects with the signal's reason when that is aborted first.
   */
  get(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const entry = this.#ready.pop();
    if (entry) return Promise.resolve(this.#take(entry));
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return this.#wait(signal);
  }

  /** Takes the next item if there is one; the caller must call `done` for it. */
  tryGet(): T | undefined {
    const entry = this.#ready.pop();
    return entry && this.#take(entry);
  }

  /** Marks an item as processed, successfully or not. If it was added since it was taken, it is queued again. */
  done(item: T): void {
    const entry = this.#entries.get(this.keyOf(item));
    if (!entry || entry.state === 'queued') return;
    this.#metrics?.done(entry);
    if (entry.state === 'dirty') {
      entry.state = 'queued';
      this.#offer(entry);
      return;
    }
    this.#entries.delete(entry.key);
    if (this.#entries.size === 0) this.#drained();
  }

  /** Accepts no more items. Queued items can still be taken; then `get` resolves with undefined. */
  shutDown(): void {
    this.#close();
    this.#drained();
  }

  /**
   * Like `shutDown`, and resolves when all queued items are done (or at a later `shutDown`). Workers must continue to
   * take the items.
   *
   * Differs from client-go, which only waits for the items being processed, although it documents the same.
   */
  shutDownWithDrain(): Promise<void> {
    this.#close();
    if (this.#entries.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  protected keyOf(item: T): unknown {
    return this.#keyOf === undefined ? item : this.#keyOf(item);
  }

  /** The entry of a key that is queued or being processed. */
  protected entry(key: unknown): QueueEntry<T> | undefined {
    return this.#entries.get(key);
  }

  /** Queues an item. An existing entry gets the item and, if it is higher, the priority. */
  protected enqueue(key: unknown, item: T, priority: number): void {
    if (this.#shuttingDown) return;
    const known = this.#entries.get(key);
    if (known === undefined) {
      const entry = new QueueEntry(key, item, priority);
      this.#entries.set(key, entry);
      this.#metrics?.added(entry);
      this.#offer(entry);
      return;
    }
    known.item = item;
    if (known.state !== 'processing') {
      if (priority > known.priority) this.raise(known, priority);
      return;
    }
    known.state = 'dirty';
    known.priority = priority;
    this.#metrics?.added(known);
  }

  /** Raises the priority of a queued or dirty entry. */
  protected raise(entry: QueueEntry<T>, priority: number): void {
    entry.priority = priority;
  }

  /** Called once, at the start of the shutdown. */
  protected onShutDown(): void {}

  /** Passes the entry to the oldest pending `get`, or adds it to the ready list. */
  #offer(entry: QueueEntry<T>): void {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      waiter.resolve(this.#take(entry));
      return;
    }
    this.#ready.push(entry);
  }

  #take(entry: QueueEntry<T>): T {
    entry.state = 'processing';
    entry.takenPriority = entry.priority;
    this.#metrics?.taken(entry);
    return entry.item;
  }

  #wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      if (!signal) {
        this.#waiters.add({ resolve });
        return;
      }
      const waiter: Waiter<T> = {
        resolve: (item) => {
          signal.removeEventListener('abort', onAbort);
          resolve(item);
        },
      };
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #close(): void {
    if (this.#shuttingDown) return;
    this.#shuttingDown = true;
    this.#metrics?.stop();
    this.onShutDown();
    for (const waiter of this.#waiters) waiter.resolve(undefined);
    this.#waiters.clear();
  }

  #drained(): void {
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
