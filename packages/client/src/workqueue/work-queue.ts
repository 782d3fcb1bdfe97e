import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { FifoReadyList, QueueEntry, type ReadyList } from './queue-entry.ts';
import { type QueueMetrics, queueMetrics } from './queue-metrics.ts';

export interface WorkQueueOptions<T> {
  /** For metrics: a queue without a name has none. */
  readonly name?: string;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Items with the same key are the same. By default an item is its own key: strings by value, objects by identity. */
  readonly keyOf?: (item: T) => unknown;
}

interface Waiter<T> {
  /** Gives it an item, or undefined when none will come any more. */
  readonly resolve: (item: T | undefined) => void;
}

/**
 * A queue of things to do, first in, first out:
 * - An item that is added several times before it is taken is handed out once.
 * - An item is never with two workers at once. Added again while it is worked on, it is handed out again after `done`.
 * - Nothing that was added is lost, until `shutDown`.
 *
 * All operations are O(1). It holds no more than the distinct items that were added and are not done.
 */
export class WorkQueue<T extends NonNullable<unknown>> {
  protected readonly clock: Clock;
  readonly #keyOf: ((item: T) => unknown) | undefined;
  readonly #metrics: QueueMetrics<T> | undefined;
  /** Every key that is queued or with a worker. The queued ones, and only those, are in `#ready`. */
  readonly #entries = new Map<unknown, QueueEntry<T>>();
  readonly #ready: ReadyList<T>;
  /** Who waits for an item, longest first. Empty while `#ready` has any. */
  readonly #waiters = new Set<Waiter<T>>();
  #shuttingDown = false;
  #onDrained: (() => void)[] = [];

  /** The order in which items are handed out is for queues that build on this one. */
  constructor(options: WorkQueueOptions<T> = {}, ready: ReadyList<T> = new FifoReadyList()) {
    this.clock = options.clock ?? systemClock;
    this.#keyOf = options.keyOf;
    this.#metrics = queueMetrics(options.metrics ?? noMetrics, options.name ?? '', this.clock);
    this.#ready = ready;
  }

  /** Queues the item, unless it is queued already. Does nothing once the queue shuts down. */
  add(item: T): void {
    this.enqueue(this.keyOf(item), item, 0);
  }

  /** How many items wait to be taken. */
  get len(): number {
    return this.#ready.size;
  }

  /** Nothing waits to be taken, and nothing is with a worker. What waits for its time does not count. */
  get isIdle(): boolean {
    return this.#entries.size === 0;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /**
   * The next item, as soon as there is one; whoever takes it must call `done`. Undefined when the queue shuts down and
   * nothing is left. Rejects with the signal's reason when that is aborted first.
   */
  get(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const entry = this.#ready.pop();
    if (entry) return Promise.resolve(this.#take(entry));
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return this.#wait(signal);
  }

  /** The next item if there is one now. Whoever takes it must call `done`. */
  tryGet(): T | undefined {
    const entry = this.#ready.pop();
    return entry && this.#take(entry);
  }

  /** The work on the item is over, well or not. If it was added meanwhile, it is queued again. */
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

  /** Takes no more items. What is queued can still be taken; then `get` answers undefined. */
  shutDown(): void {
    this.#close();
    this.#drained();
  }

  /**
   * Like `shutDown`, and resolves once all that was queued is done (or at a later `shutDown`). Someone must still take the
   * items.
   *
   * Differs from client-go: that waits only for what is being worked on at the moment, though it promises the same.
   */
  shutDownWithDrain(): Promise<void> {
    this.#close();
    if (this.#entries.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  protected keyOf(item: T): unknown {
    return this.#keyOf === undefined ? item : this.#keyOf(item);
  }

  /** The entry of a key that is queued or with a worker. */
  protected entry(key: unknown): QueueEntry<T> | undefined {
    return this.#entries.get(key);
  }

  /** Queues; an entry that is there already gets the item and, if that is higher, the priority. */
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

  /** An entry that is queued or dirty is wanted with a higher priority than before. */
  protected raise(entry: QueueEntry<T>, priority: number): void {
    entry.priority = priority;
  }

  /** Called once, when the queue begins to shut down. */
  protected onShutDown(): void {}

  /** To whoever waits longest, else into the ready list. */
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
