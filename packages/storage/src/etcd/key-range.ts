/** Keys from `key` up to and without `rangeEnd`, as etcd wants them. */
export interface KeyRange {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
}

/** All keys: from the smallest there is, without end. */
export const everything: KeyRange = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) };

/** The keys that begin with the prefix. No byte of UTF-8 is 0xff, so the last one always has a successor. */
export function prefixRange(prefix: string): KeyRange {
  if (prefix === '') return everything;
  const key = Buffer.from(prefix);
  const rangeEnd = Buffer.from(key);
  rangeEnd[rangeEnd.length - 1]!++;
  return { key, rangeEnd };
}

/** The part of the range that is at the key or after it; undefined when that is nothing. */
export function rangeFrom(range: KeyRange, from: string): KeyRange | undefined {
  const key = Buffer.from(from);
  if (Buffer.compare(key, range.key) <= 0) return range;
  if (range !== everything && Buffer.compare(key, range.rangeEnd) >= 0) return undefined;
  return { key, rangeEnd: range.rangeEnd };
}
