/**
 * Returns for each item whether one with the same identity came before it. In one pass: lists in requests can be long, and comparing
 * every item with all before it would take quadratic time.
 */
export function repeated<T>(list: readonly T[], identity: (item: T) => unknown = itself): boolean[] {
  const seen = new Set<unknown>();
  return list.map((item) => {
    const before = seen.size;
    return seen.add(identity(item)).size === before;
  });
}

const itself = (item: unknown): unknown => item;
