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

/** Grants a search that goes on in steps so many of them before it lets others run. */
export class StepMeter extends StepBudget {
  #taken = 0;

  constructor() {
    super(Number.POSITIVE_INFINITY);
  }

  override spend(steps: number): void {
    this.#taken += steps;
  }

  get isOver(): boolean {
    return this.#taken >= stepsBetweenYields;
  }

  /** The steps since the last time. */
  get taken(): number {
    const taken = this.#taken;
    this.#taken = 0;
    return taken;
  }
}

const stepsBetweenYields = 4096;
