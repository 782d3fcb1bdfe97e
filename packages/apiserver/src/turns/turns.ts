import type { Steps } from '@coxswain/apimachinery';

/** Work in many small steps takes at most so long before others have their turn. A small request needs several turns. */
const turnMs = 2;

/** Whether it takes so long to work on an object, or its bytes, that others should have their turn in between. Most objects are smaller. */
export const isLarge = (bytes: Uint8Array): boolean => bytes.length > 16 * 1024;

/** Lets long work go on without keeping others from theirs. */
export class Turns {
  readonly #now: () => number;
  #began: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  /** Resolves at once, or after everybody else had a turn. */
  async next(): Promise<void> {
    if (this.#isOver) await this.#letOthersRun();
  }

  /** Completes a computation in steps. */
  async complete<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (this.#isOver) await this.#letOthersRun();
    }
  }

  get #isOver(): boolean {
    return this.#now() - this.#began >= turnMs;
  }

  async #letOthersRun(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#began = this.#now();
  }
}
