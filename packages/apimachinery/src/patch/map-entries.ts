import type { JsonObject } from '../json/go-value.ts';
import { setOwnEntry } from '../json/index.ts';

/** An object of what `change` makes of each entry; a key is left out where that is undefined. */
export function mapEntries(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = change(object[key], key);
    if (value !== undefined) setOwnEntry(result, key, value);
  }
  return result;
}

/** Without keys, or with none that has a value. */
export function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}
