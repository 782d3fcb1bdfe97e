import type { HeapNode } from './indexed-heap.ts';

/**
 * The state of a key:
 * - `queued`: in the ready list
 * - `processing`: taken by a worker, and in no list
 * - `dirty`: taken by a worker and added again since; `done` queues it
 */
export type EntryState = 'queued' | 'processing' | 'dirty';

/** A key of a queue, from its first `add` to the `done` after which nothing is left to do. */
export class QueueEntry<T> implements HeapNode {
  readonly key: unknown;
  /** The last item added with this key. */
  item: T;
  state: EntryState = 'queued';
  /** The next in first-in-first-out order. */
  next: QueueEntry<T> | undefined = undefined;
  heapIndex = -1;
  priority: number;
  /** The priority with which it was taken. */
  takenPriority = 0;
  /** Order among equal priorities. */
  order = 0;
  /** In monotonic time; only set for metrics. */
  addedAt = 0;
  startedAt = 0;

  constructor(key: unknown, item: T, priority: number) {
    this.key = key;
    this.item = item;
    this.priority = priority;
  }
}

/** The queued entries in the order in which they will be taken. */
export interface ReadyList<T> {
  readonly size: number;
  push(entry: QueueEntry<T>): void;
  pop(): QueueEntry<T> | undefined;
}

/** First in, first out: a linked list of the entries. */
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
