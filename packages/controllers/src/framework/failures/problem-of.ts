/** What the work failed with; undefined when it went well. For work whose failure is not to keep what follows from being done. */
export const problemOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
