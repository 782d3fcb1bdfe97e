/** How many items a message of a stream has: few enough that it stays far below the limit of a message. */
const batchSize = 100;

/** Splits a list into the parts that the messages of a stream carry. */
export function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += batchSize) yield items.slice(start, start + batchSize);
}
