/**
 * Returns the record's own value for the key; undefined when there is none, or no record. A plain `record[key]` would return inherited
 * properties such as `constructor` or `__proto__`.
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

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
