export interface SlowStartResult {
  /** How many calls went well. */
  readonly successes: number;
  /** The first error of the batch that ended it; undefined when all went well. */
  readonly error?: unknown;
}

/**
 * Makes so many calls: one (or `initialBatchSize`) at first, then two at once, four, and so on up to `maxBatchSize`; ends
 * after the first batch with a failure. What fails for all, such as a quota, thus fails a few times and not a thousand.
 * Never rejects.
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
