/**
 * A computation that may take long: every few tenths of a millisecond it yields, and who runs it decides whether others
 * run first.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Computes it in one go. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
