/** A long computation: each time it yields, it tells how much it has done since, in steps of some tens of nanoseconds. */
export type Steps<T> = Generator<number, T, void>;

/** About so many steps a computation does before it yields: some tenths of a millisecond. */
export const STEPS_BETWEEN_YIELDS = 4096;

/** A result that takes long to compute. Who gets one decides when to let others run. */
export class Work<T> {
  readonly steps: Steps<T>;
  constructor(steps: Steps<T>) {
    this.steps = steps;
  }
}

/** Computes it in one go. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Counts the steps of a computation. */
export class Pace {
  #steps = 0;

  /** Adds steps; true when it is time to yield `taken`. */
  isOver(steps: number): boolean {
    this.#steps += steps;
    return this.#steps >= STEPS_BETWEEN_YIELDS;
  }

  /** The steps since the last time. */
  get taken(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }
}
