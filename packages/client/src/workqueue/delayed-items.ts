import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { type HeapNode, IndexedHeap } from './indexed-heap.ts';

/** An item that waits for its time. */
export interface DelayedItem<T> extends HeapNode {
  readonly key: unknown;
  item: T;
  priority: number;
  /** On the clock's monotonic time: setting the machine's clock changes nothing. */
  readyAt: number;
  /** Among those of one time, the first added comes first. */
  readonly order: number;
}

/** Items that become ready at their time; one per key, one timer for all. */
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

  /** When the key waits already, the earlier time, the higher priority and the newer item count. */
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

  /** Takes out what waits under the key, if anything does. */
  take(key: unknown): DelayedItem<T> | undefined {
    const delayed = this.#byKey.get(key);
    if (!delayed) return undefined;
    this.#byKey.delete(key);
    this.#byTime.remove(delayed);
    if (this.#byKey.size === 0) this.#disarm();
    return delayed;
  }

  /** Forgets all, and leaves no timer behind. */
  clear(): void {
    this.#disarm();
    this.#byKey.clear();
    this.#byTime.clear();
  }

  /** The timer runs for the earliest; one that is set for an earlier time may stay: it only looks and waits on. */
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
