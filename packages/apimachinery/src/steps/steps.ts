/**
 * A computation that may take long. It yields between its steps, and its caller decides whether other work runs first. For a small input
 * a step takes microseconds; for the largest that is accepted, tenths of a millisecond where the work can be split, and some milliseconds
 * where it is one operation on the whole input.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The number of entries of an object, or items of a list, per step, where each of them takes a microsecond or less. */
export const itemsPerStep = 1024;

/** Runs all steps at once and returns the result. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
