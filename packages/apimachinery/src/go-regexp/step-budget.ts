/** Thrown when a search takes more steps than its budget. */
export class GoRegexpBudgetError extends Error {
  constructor() {
    super('regular expression took too many steps');
  }
}

/**
 * The total work that searches may do. A step is about the work for one instruction at one position: a search takes at most as many steps
 * as the text has characters, times the instructions of the program.
 */
export class StepBudget {
  #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Throws GoRegexpBudgetError when the budget is exceeded. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new GoRegexpBudgetError();
  }
}

/** Counts the steps of a search in steps, which yields when the meter is over. Never throws. */
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

  /** The number of steps since this was last read. */
  get taken(): number {
    const taken = this.#taken;
    this.#taken = 0;
    return taken;
  }
}

const stepsBetweenYields = 4096;
