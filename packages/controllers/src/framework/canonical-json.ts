/**
 * JSON that is the same for equal values, whatever the order of their keys, and the same as Go writes for a map: hashes of
 * it agree with those that others have made. Integers beyond 2^53 are rounded, as they are there.
 */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return Number(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return text.replace(/[<>&\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
