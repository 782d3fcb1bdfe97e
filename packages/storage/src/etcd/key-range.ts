/** The keys from `key` to `rangeEnd` (exclusive), in etcd's encoding. */
export interface KeyRange {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
}

/** All keys: from the smallest one, without an end. */
export const everything: KeyRange = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) };

/**
 * Returns the range of the keys that begin with the prefix. UTF-8 has no byte 0xff, so the last byte can always be
 * incremented.
 */
export function prefixRange(prefix: string): KeyRange {
  if (prefix === '') return everything;
  const key = Buffer.from(prefix);
  const rangeEnd = Buffer.from(key);
  rangeEnd[rangeEnd.length - 1]!++;
  return { key, rangeEnd };
}

/** Returns the part of the range from the key on; undefined when it is empty. */
export function rangeFrom(range: KeyRange, from: string): KeyRange | undefined {
  const key = Buffer.from(from);
  if (Buffer.compare(key, range.key) <= 0) return range;
  if (range !== everything && Buffer.compare(key, range.rangeEnd) >= 0) return undefined;
  return { key, rangeEnd: range.rangeEnd };
}
