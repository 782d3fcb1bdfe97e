/** Work in many small steps takes at most so long before others have their turn. */
const turnMs = 5;

/** Lets long work go on without keeping others from theirs. */
export class Turns {
  #began = performance.now();

  /** Resolves at once, or after everybody else had a turn. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < turnMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#began = performance.now();
  }
}
