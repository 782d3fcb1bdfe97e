import { type EventLoop, nextTurn } from './event-loop.ts';

/** The maximum time of a slice of work before other work gets its turn. Short, because a small request needs several turns. */
const defaultSliceMs = 2;

/**
 * Splits long work into slices, with turns of other work between them. Create one for each piece of work: its first slice begins at once.
 */
export class Turns {
  readonly #loop: EventLoop;
  readonly #sliceMs: number;
  #began: number;

  constructor(loop: EventLoop, sliceMs = defaultSliceMs) {
    this.#loop = loop;
    this.#sliceMs = sliceMs;
    this.#began = loop.workedMs();
  }

  /** Resolves at once, or after a turn of other work when the slice is over. */
  async next(): Promise<void> {
    if (this.#isOver) await this.#letOthersRun();
  }

  /** Runs all steps of a computation in slices, and returns its result. */
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
