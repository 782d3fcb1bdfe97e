import type { DeletedFinalStateUnknown } from './keys.ts';

/**
 * One change of one object:
 * - `Added`: it was not there before
 * - `Updated`: it was there, and is different now
 * - `Sync`: nothing changed; a reminder
 * - `Deleted`: it is gone; a tombstone when that was found out later
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
  /** Only while coalescing: the node of the same key that waits before this one. */
  older: Node<T> | undefined;
}

/**
 * The changes that one reader has not taken yet, in the order in which they came.
 *
 * A reader that keeps up sees each of them. One that is more than `coalesceAbove` behind sees the net change of each
 * object instead: what is waiting for an object and what comes for it become one. So the queue holds at most
 * `coalesceAbove` changes and two for every object that the reader knows or is yet to know: it cannot grow without bound,
 * however long the reader is stuck. Either way, what the reader sees of an object is an add, then updates, then a
 * delete, in order. Only the order among different objects is loosened.
 *
 * Differs from client-go: its DeltaFIFO is between reflector and store, where we need none, for both work in one thread;
 * what waits for a handler there is a ring that grows until memory is full.
 */
export class DeltaFIFO<T> {
  readonly #coalesceAbove: number;
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;
  #sequence = 0;
  /** Only while coalescing: the last node of every key that has one. A key has at most two: a deletion and an addition. */
  #lastOf: Map<string, Node<T>> | undefined;

  constructor(coalesceAbove: number) {
    this.#coalesceAbove = coalesceAbove;
  }

  get size(): number {
    return this.#size;
  }

  /** Every change has a number, and later ones have higher. This is the highest that was given so far. */
  get lastSequence(): number {
    return this.#sequence;
  }

  /** The number of the next change; undefined when none waits. */
  get nextSequence(): number | undefined {
    return this.#first?.sequence;
  }

  push(delta: Delta<T>): void {
    if (this.#lastOf === undefined && this.#size >= this.#coalesceAbove) this.#startCoalescing();
    this.#put(delta, ++this.#sequence);
  }

  /** The next change; undefined when none waits. */
  shift(): Delta<T> | undefined {
    const node = this.#first;
    if (!node) return undefined;
    this.#unlink(node);
    // What the engine has not noticed to be gone would hold all that come after it.
    node.next = undefined;
    if (this.#lastOf) {
      const last = this.#lastOf.get(node.delta.key)!;
      if (last === node) this.#lastOf.delete(node.delta.key);
      else last.older = undefined;
      // The reader has caught up: from here on every change counts again.
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

  /** Forgets a change that a later one undid. */
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

/** What remains to be said of an object when one change waits and another comes. */
function coalesce<T>(waiting: Delta<T>, next: Delta<T>): Delta<T> | 'both' | 'neither' {
  // Gone and there again: two objects that share a name.
  if (waiting.type === 'Deleted') return 'both';
  switch (next.type) {
    case 'Sync':
      return waiting;
    case 'Updated':
      if (waiting.type === 'Added') return { ...waiting, object: next.object };
      return waiting.type === 'Updated' ? { ...next, old: waiting.old } : next;
    case 'Deleted':
      // Nobody will miss what nobody has seen.
      return waiting.type === 'Added' ? 'neither' : next;
    case 'Added':
      return 'both';
  }
}
