import { throwFailures } from './throw-failures.ts';

/**
 * Calls `call` for each item, at most `limit` at the same time, and continues when calls fail. Rejects at the end with the
 * failure, or with an AggregateError of several.
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  call: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await call(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  throwFailures(failures);
}
