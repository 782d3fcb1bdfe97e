import type { DeletedFinalStateUnknown } from './keys.ts';

/**
 * One change of one object:
 * - `Added`: the object is new
 * - `Updated`: the object was changed
 * - `Sync`: a resync; the object did not change
 * - `Deleted`: the object was deleted; a tombstone when the watch event was missed
 */
export type Delta<T> =
  | { readonly type: 'Added'; readonly key: string; readonly object: T; readonly isInInitialList: boolean }
  | { readonly type: 'Updated'; readonly key: string; readonly old: T; readonly object: T }
  | { readonly type: 'Sync'; readonly key: string; readonly object: T }
  | { readonly type: 'Deleted'; readonly key: string; readonly object: T | DeletedFinalStateUnknown<T> };

interface Node<T> {
  delta: Delta<T>;
  readonly sequence: number;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  /** Only while coalescing: the earlier queued node of the same key. */
  older: Node<T> | undefined;
}

/**
 * The queue of changes for one reader, in the order in which they occurred.
 *
 * A reader that keeps up gets each change. When more than `coalesceAbove` changes are queued, the reader gets the net
 * change of each object instead: a queued change and the next one of the same object are merged. So the queue holds at
 * most `coalesceAbove` changes plus two for every object that the reader knows or has yet to learn of. It cannot grow
 * without bound, however long the reader is blocked. In both cases the reader gets for each object an add, then
 * updates, then a delete, in order. Only the order between different objects is relaxed.
 *
 * Differs from client-go: its DeltaFIFO sits between reflector and store, where we need no queue because both run on
 * one thread. Its queue in front of a handler is a ring buffer that grows without bound.
 */
export class DeltaFIFO<T> {
  readonly #coalesceAbove: number;
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;
  #sequence = 0;
  /** Only while coalescing: the last node of every queued key. A key has at most two nodes: a delete and an add. */
  #lastOf: Map<string, Node<T>> | undefined;

  constructor(coalesceAbove: number) {
    this.#coalesceAbove = coalesceAbove;
  }

  get size(): number {
    return this.#size;
  }

  /** The highest sequence number assigned so far. Every change gets a higher number than the ones before. */
  get lastSequence(): number {
    return this.#sequence;
  }

  /** The sequence number of the next change; undefined when the queue is empty. */
  get nextSequence(): number | undefined {
    return this.#first?.sequence;
  }

  push(delta: Delta<T>): void {
    if (this.#lastOf === undefined && this.#size >= this.#coalesceAbove) this.#startCoalescing();
    this.#put(delta, ++this.#sequence);
  }

  /** Removes and returns the next change; undefined when the queue is empty. */
  shift(): Delta<T> | undefined {
    const node = this.#first;
    if (!node) return undefined;
    this.#unlink(node);
    // Otherwise an old-generation node that is not collected yet would keep all later nodes alive.
    node.next = undefined;
    if (this.#lastOf) {
      const last = this.#lastOf.get(node.delta.key)!;
      if (last === node) this.#lastOf.delete(node.delta.key);
      else last.older = undefined;
      // The reader has caught up: stop coalescing.
      if (this.#size === 0) this.#lastOf = undefined;
    }
    return node.delta;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
    this.#lastOf = undefined;
    this.#size = 0;
  }

  #startCoalescing(): void {
    let node = this.#first;
    this.clear();
    this.#lastOf = new Map();
    for (; node; node = node.next) this.#put(node.delta, node.sequence);
  }

  #put(delta: Delta<T>, sequence: number): void {
    const waiting = this.#lastOf?.get(delta.key);
    const merged = waiting ? coalesce(waiting.delta, delta) : 'both';
    if (merged === 'both') this.#append(delta, sequence);
    else if (merged === 'neither') this.#drop(waiting!);
    else waiting!.delta = merged;
  }

  #append(delta: Delta<T>, sequence: number): void {
    const node: Node<T> = { delta, sequence, previous: this.#last, next: undefined, older: undefined };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size++;
    if (this.#lastOf) {
      node.older = this.#lastOf.get(delta.key);
      this.#lastOf.set(delta.key, node);
    }
  }

  /** Removes a queued change that a later one cancelled. */
  #drop(node: Node<T>): void {
    this.#unlink(node);
    if (node.older) this.#lastOf!.set(node.delta.key, node.older);
    else this.#lastOf!.delete(node.delta.key);
  }

  #unlink(node: Node<T>): void {
    if (node.previous) node.previous.next = node.next;
    else this.#first = node.next;
    if (node.next) node.next.previous = node.previous;
    else this.#last = node.previous;
    this.#size--;
  }
}

/** Merges a queued change with the next one of the same object. */
function coalesce<T>(waiting: Delta<T>, next: Delta<T>): Delta<T> | 'both' | 'neither' {
  // Deleted and created again: two objects with the same name.
  if (waiting.type === 'Deleted') return 'both';
  switch (next.type) {
    case 'Sync':
      return waiting;
    case 'Updated':
      if (waiting.type === 'Added') return { ...waiting, object: next.object };
      return waiting.type === 'Updated' ? { ...next, old: waiting.old } : next;
    case 'Deleted':
      // The reader has not seen the object yet.
      return waiting.type === 'Added' ? 'neither' : next;
    case 'Added':
      return 'both';
  }
}
