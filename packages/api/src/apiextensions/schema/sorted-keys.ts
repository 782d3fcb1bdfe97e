import { isJsonObject, setOwnEntry } from '@coxswain/apimachinery';

/** Returns the value with sorted object keys, as Go prints maps in messages. Equal values have equal JSON afterwards. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setOwnEntry(result, key, withSortedKeys(value[key]));
  return result;
}
