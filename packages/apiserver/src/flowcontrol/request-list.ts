/** What can be in one list at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** First in, first out, and anything can leave from anywhere at no cost. Makes no objects of its own. */
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

  /** Of an item that is in this list. */
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
