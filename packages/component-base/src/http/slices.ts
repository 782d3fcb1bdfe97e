import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';

/** Time limit of a slice. */
const sliceMs = 10;

/** Runs a function for many items, in the order they were added, one time-limited slice per turn of the event loop. */
export class Slices<T> {
  readonly #work: (item: T) => void;
  readonly #eventLoop: EventLoop;
  readonly #waiting = new Set<T>();
  #isDue = false;

  constructor(work: (item: T) => void, eventLoop: EventLoop = systemEventLoop) {
    this.#work = work;
    this.#eventLoop = eventLoop;
  }

  /** The number of waiting items. */
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
