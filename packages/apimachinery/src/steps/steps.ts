/**
 * A computation that may take long: it yields between its steps, and who runs it decides whether others run first. For a small
 * input a step takes microseconds; for the largest that is accepted, tenths of a millisecond where it can be split, and some
 * milliseconds where it is one operation on all of it.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** So many entries of an object or items of a list are a step where each of them takes a microsecond or less. */
export const itemsPerStep = 1024;

/** Computes it in one go. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
