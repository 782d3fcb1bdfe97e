/**
 * Resolves with the error that `work` rejects with, or undefined when it succeeds. For work whose failure must not prevent the
 * next steps.
 */
export const problemOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
