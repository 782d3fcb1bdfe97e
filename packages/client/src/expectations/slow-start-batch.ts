export interface SlowStartResult {
  /** Number of successful calls. */
  readonly successes: number;
  /** The first error of the last batch; undefined when all calls succeeded. */
  readonly error?: unknown;
}

/**
 * Makes `count` calls in batches: one call (or `initialBatchSize`), then two in parallel, four, and so on up to
 * `maxBatchSize`. Ends after the first batch with a failure. So a failure that would hit every call, such as an
 * exceeded quota, causes a few failed requests and not a thousand. Never rejects.
 */
export async function slowStartBatch(
  count: number,
  call: () => Promise<unknown>,
  {
    initialBatchSize = 1,
    maxBatchSize = Number.POSITIVE_INFINITY,
  }: { readonly initialBatchSize?: number; readonly maxBatchSize?: number } = {},
): Promise<SlowStartResult> {
  let successes = 0;
  for (let left = count, size = initialBatchSize; left > 0; left -= size, size *= 2) {
    size = Math.min(size, left, maxBatchSize);
    const results = await Promise.allSettled(Array.from({ length: size }, async () => call()));
    const failures = results.filter((result) => result.status === 'rejected');
    successes += size - failures.length;
    const [first] = failures;
    if (first) return { successes, error: first.reason };
  }
  return { successes };
}
