import { isJsonObject, setOwnEntry } from '@coxswain/apimachinery';

/** A value with the keys of objects in order, as Go writes maps: messages show it so, and the same has the same text. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setOwnEntry(result, key, withSortedKeys(value[key]));
  return result;
}
