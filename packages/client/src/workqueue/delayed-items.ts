import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { type HeapNode, IndexedHeap } from './indexed-heap.ts';

/** A delayed item. */
export interface DelayedItem<T> extends HeapNode {
  readonly key: unknown;
  item: T;
  priority: number;
  /** In monotonic time, which is unaffected by changes of the system clock. */
  readyAt: number;
  /** Order of adding, for items with the same time. */
  readonly order: number;
}

/** Items that become ready at a given time: one per key, with one timer for all. */
export class DelayedItems<T> {
  readonly #clock: Clock;
  readonly #onReady: (delayed: DelayedItem<T>) => void;
  /** The same items in both. */
  readonly #byKey = new Map<unknown, DelayedItem<T>>();
  readonly #byTime = new IndexedHeap<DelayedItem<T>>((a, b) =>
    a.readyAt === b.readyAt ? a.order < b.order : a.readyAt < b.readyAt,
  );
  #order = 0;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, onReady: (delayed: DelayedItem<T>) => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** Adds an item. If the key is delayed already, the earlier time, the higher priority and the newer item are kept. */
  put(key: unknown, item: T, delayMs: number, priority: number): void {
    const readyAt = this.#clock.monotonic() + delayMs;
    const known = this.#byKey.get(key);
    if (known) {
      known.item = item;
      known.priority = Math.max(known.priority, priority);
      if (readyAt >= known.readyAt) return;
      known.readyAt = readyAt;
      this.#byTime.fix(known);
    } else {
      const delayed = { key, item, priority, readyAt, order: this.#order++, heapIndex: -1 };
      this.#byKey.set(key, delayed);
      this.#byTime.push(delayed);
    }
    this.#arm();
  }

  /** Removes and returns the delayed item of a key. */
  take(key: unknown): DelayedItem<T> | undefined {
    const delayed = this.#byKey.get(key);
    if (!delayed) return undefined;
    this.#byKey.delete(key);
    this.#byTime.remove(delayed);
    if (this.#byKey.size === 0) this.#disarm();
    return delayed;
  }

  /** Removes all items and the timer. */
  clear(): void {
    this.#disarm();
    this.#byKey.clear();
    this.#byTime.clear();
  }

  /** Sets the timer for the earliest item. A timer for an earlier time is kept; when it fires, it sets the next. */
  #arm(): void {
    const next = this.#byTime.peek();
    if (!next || (this.#timer && this.#timer.at <= next.readyAt)) return;
    this.#disarm();
    const at = next.readyAt;
    this.#timer = { at, timer: this.#clock.setTimeout(this.#onTimer, at - this.#clock.monotonic()) };
  }

  #disarm(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#byTime.peek(); next && next.readyAt <= now; next = this.#byTime.peek()) {
      this.take(next.key);
      this.#onReady(next);
    }
    this.#arm();
  };
}
