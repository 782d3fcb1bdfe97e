import type { HeapNode } from './indexed-heap.ts';

/**
 * Where a key stands:
 * - `queued`: it waits to be taken, and is in the ready list
 * - `processing`: a worker has it, and it is in no list
 * - `dirty`: a worker has it and it was added again meanwhile; `done` queues it
 */
export type EntryState = 'queued' | 'processing' | 'dirty';

/** One key of a queue, from its first `add` to the `done` that leaves nothing to do. */
export class QueueEntry<T> implements HeapNode {
  readonly key: unknown;
  /** What was added last under this key. */
  item: T;
  state: EntryState = 'queued';
  /** The next in first-in-first-out order. */
  next: QueueEntry<T> | undefined = undefined;
  heapIndex = -1;
  priority: number;
  /** The priority with which a worker was given it. */
  takenPriority = 0;
  /** The place among equals. */
  order = 0;
  /** On the clock's monotonic time; only kept for metrics. */
  addedAt = 0;
  startedAt = 0;

  constructor(key: unknown, item: T, priority: number) {
    this.key = key;
    this.item = item;
    this.priority = priority;
  }
}

/** The entries that wait to be taken, in the order in which they will be. */
export interface ReadyList<T> {
  readonly size: number;
  push(entry: QueueEntry<T>): void;
  pop(): QueueEntry<T> | undefined;
}

/** First in, first out: a list through the entries themselves. */
export class FifoReadyList<T> implements ReadyList<T> {
  #head: QueueEntry<T> | undefined;
  #tail: QueueEntry<T> | undefined;
  size = 0;

  push(entry: QueueEntry<T>): void {
    if (this.#tail) this.#tail.next = entry;
    else this.#head = entry;
    this.#tail = entry;
    this.size++;
  }

  pop(): QueueEntry<T> | undefined {
    const entry = this.#head;
    if (!entry) return undefined;
    this.#head = entry.next;
    if (!this.#head) this.#tail = undefined;
    entry.next = undefined;
    this.size--;
    return entry;
  }
}
