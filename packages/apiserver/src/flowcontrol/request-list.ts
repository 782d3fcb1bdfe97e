/** An item of an intrusive list. It can be in one list at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** A FIFO list with removal from any position in constant time. It is intrusive, so it allocates nothing. */
export class RequestList<T extends Linked<T>> {
  first: T | undefined;
  #last: T | undefined;
  length = 0;

  push(item: T): void {
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.first = item;
    this.#last = item;
    this.length++;
  }

  /** Removes an item, which must be in this list. */
  remove(item: T): void {
    const { previous, next } = item;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    item.previous = undefined;
    item.next = undefined;
    this.length--;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let item = this.first; item; item = item.next) yield item;
  }
}
