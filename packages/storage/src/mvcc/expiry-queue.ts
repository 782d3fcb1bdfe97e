import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { LogRecord } from './log.ts';

/** The largest number of keys to delete at once. */
const sliceKeys = 500;

/** The delay before deletions that failed are retried. */
const retryMs = 1000;

/** The longest delay of a JavaScript timer. */
const maxDelayMs = 2 ** 31 - 1;

export interface ExpiryQueueOptions {
  readonly clock: Clock;
  /** Returns whether this is still the key's newest change. */
  readonly isCurrent: (record: LogRecord) => boolean;
  /** Deletes the key if it has not changed. */
  readonly expire: (record: LogRecord) => Promise<unknown>;
}

/** A queue of keys by expiry time, with a timer for the first of them. */
export class ExpiryQueue {
  readonly #clock: Clock;
  readonly #isCurrent: (record: LogRecord) => boolean;
  readonly #expire: (record: LogRecord) => Promise<unknown>;
  /**
   * A binary heap by `expiresAt`: the parent of an index is at (index - 1) / 2. Some records are outdated, because the
   * key was changed later.
   */
  #heap: LogRecord[] = [];
  /** When the heap has this size, outdated records are removed from it. */
  #cleanAt = 1024;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor({ clock, isCurrent, expire }: ExpiryQueueOptions) {
    this.#clock = clock;
    this.#isCurrent = isCurrent;
    this.#expire = expire;
  }

  add(record: LogRecord): void {
    this.#push(record);
    if (this.#heap.length >= this.#cleanAt) this.#clean();
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#heap = [];
  }

  #arm(delayAtLeastMs = 0): void {
    const first = this.#heap[0];
    if (this.#stopped || first === undefined || first.expiresAt >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = first.expiresAt;
    const delay = Math.max(first.expiresAt - this.#clock.now(), delayAtLeastMs, 0);
    this.#timer = this.#clock.setTimeout(() => void this.#fire(), Math.min(delay, maxDelayMs), { background: true });
  }

  async #fire(): Promise<void> {
    const now = this.#clock.now();
    const due: LogRecord[] = [];
    while (due.length < sliceKeys && this.#heap[0] !== undefined && this.#heap[0].expiresAt <= now) {
      const record = this.#pop();
      if (this.#isCurrent(record)) due.push(record);
    }
    const outcomes = await Promise.allSettled(due.map((record) => this.#expire(record)));
    const failed = due.filter((_, index) => outcomes[index]?.status === 'rejected');
    for (const record of failed) this.#push(record);
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#arm(failed.length > 0 ? retryMs : 0);
  }

  #clean(): void {
    const current = this.#heap.filter(this.#isCurrent).sort((a, b) => a.expiresAt - b.expiresAt);
    // A sorted array is a valid heap.
    this.#heap = current;
    this.#cleanAt = Math.max(1024, current.length * 2);
  }

  #push(record: LogRecord): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as LogRecord;
      if (above.expiresAt <= record.expiresAt) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = record;
  }

  #pop(): LogRecord {
    const heap = this.#heap;
    const first = heap[0] as LogRecord;
    const last = heap.pop() as LogRecord;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && right.expiresAt < (heap[child] as LogRecord).expiresAt) child++;
      const below = heap[child] as LogRecord;
      if (below.expiresAt >= last.expiresAt) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}
