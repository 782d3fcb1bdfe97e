import type { JsonObject } from '../json/go-value.ts';
import { setOwnEntry } from '../json/index.ts';

/** Returns an object with the result of `change` for each entry. A key is left out where the result is undefined. */
export function mapEntries(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = change(object[key], key);
    if (value !== undefined) setOwnEntry(result, key, value);
  }
  return result;
}

/** Whether the object has no key with a value. */
export function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}
