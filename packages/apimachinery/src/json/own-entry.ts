/**
 * The record's own value for the key. A plain `record[key]` would answer `constructor` or `__proto__` with something
 * nobody put there. No record has no entries.
 */
export function ownEntry<T>(record: { readonly [key: string]: T } | null | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Sets the record's own value for the key, `__proto__` included. */
export function setOwnEntry<T>(record: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    record[key] = value;
  }
}

/** A JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
