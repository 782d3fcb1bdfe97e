import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';

/** So long a slice may take. */
const sliceMs = 10;

/** Does the same work for many items, in the order in which they came: a slice of them in each turn of the event loop. */
export class Slices<T> {
  readonly #work: (item: T) => void;
  readonly #eventLoop: EventLoop;
  readonly #waiting = new Set<T>();
  #isDue = false;

  constructor(work: (item: T) => void, eventLoop: EventLoop = systemEventLoop) {
    this.#work = work;
    this.#eventLoop = eventLoop;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  add(item: T): void {
    this.#waiting.add(item);
    this.#runSoon();
  }

  delete(item: T): void {
    this.#waiting.delete(item);
  }

  #runSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#eventLoop.onNextTurn(() => this.#run());
  }

  #run(): void {
    this.#isDue = false;
    const end = this.#eventLoop.workedMs() + sliceMs;
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      this.#work(item);
      if (this.#eventLoop.workedMs() >= end) break;
    }
    if (this.#waiting.size > 0) this.#runSoon();
  }
}
