/**
 * Returns the JSON that Go writes for a map: keys are sorted, so equal values give equal texts, and hashes of it agree with
 * upstream's. Integers beyond 2^53 are rounded, as upstream does.
 */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(sortedKeys(value), (_, inner: unknown) =>
    typeof inner === 'bigint' ? Number(inner) : inner,
  );
  return text.replace(/[<>&\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a deep copy in which the keys of all objects are sorted. */
export function sortedKeys<T>(value: T): T;
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => sortedKeys(inner));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]));
}
