/** A search gave up: it took more steps than it was granted. */
export class GoRegexpBudgetError extends Error {
  constructor() {
    super('regular expression took too many steps');
  }
}

/**
 * How much work searches may do in all. A step is about the work for one instruction at one position: a search takes no
 * more of them than the text has characters, times the instructions of the program.
 */
export class StepBudget {
  #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Throws GoRegexpBudgetError when nothing is left. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new GoRegexpBudgetError();
  }
}
