/**
 * JSON that is the same for equal values, whatever the order of their keys, and the same as Go writes for a map: hashes of
 * it agree with those that others have made. Integers beyond 2^53 are rounded, as they are there.
 */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(sortedKeys(value), (_, inner: unknown) =>
    typeof inner === 'bigint' ? Number(inner) : inner,
  );
  return text.replace(/[<>&\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A copy, with the keys of all objects in it in their order. */
export function sortedKeys<T>(value: T): T;
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => sortedKeys(inner));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]));
}
