/** A long computation. It yields the number of steps done since the last yield; a step is some tens of nanoseconds. */
export type Steps<T> = Generator<number, T, void>;

/** The approximate number of steps between two yields: some tenths of a millisecond. */
export const STEPS_BETWEEN_YIELDS = 4096;

/** A result that takes long to compute. The receiver runs the steps and decides when to yield to the event loop. */
export class Work<T> {
  readonly steps: Steps<T>;
  constructor(steps: Steps<T>) {
    this.steps = steps;
  }
}

/** Runs a computation synchronously to its end. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Counts the steps of a computation since its last yield. */
export class Pace {
  #steps = 0;

  /** Adds steps; true when it is time to yield `taken`. */
  isOver(steps: number): boolean {
    this.#steps += steps;
    return this.#steps >= STEPS_BETWEEN_YIELDS;
  }

  /** Returns the steps since the last read, and resets the count. */
  get taken(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }
}
