import { type EventLoop, nextTurn } from './event-loop.ts';

/** A slice of work takes at most so long before others have their turn. A small request needs several turns. */
const defaultSliceMs = 2;

/** Lets long work go on without keeping others from theirs. One for each piece of work: it counts from when it was made. */
export class Turns {
  readonly #loop: EventLoop;
  readonly #sliceMs: number;
  #began: number;

  constructor(loop: EventLoop, sliceMs = defaultSliceMs) {
    this.#loop = loop;
    this.#sliceMs = sliceMs;
    this.#began = loop.workedMs();
  }

  /** Resolves at once, or after everybody else had a turn. */
  async next(): Promise<void> {
    if (this.#isOver) await this.#letOthersRun();
  }

  /** Completes a computation in steps. */
  async complete<T>(steps: Generator<unknown, T, undefined>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (this.#isOver) await this.#letOthersRun();
    }
  }

  get #isOver(): boolean {
    return this.#loop.workedMs() - this.#began >= this.#sliceMs;
  }

  async #letOthersRun(): Promise<void> {
    await nextTurn(this.#loop);
    this.#began = this.#loop.workedMs();
  }
}
