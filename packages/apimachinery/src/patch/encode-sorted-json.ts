import { isList, sortedKeys } from '../json/go-value.ts';
import { isJsonObject } from '../json/index.ts';
import { stringifyJson } from '../json/stringify-json.ts';

/**
 * JSON as Go writes a map: keys sorted by their bytes, no spaces, and what HTML could misread escaped. Keys whose value
 * is undefined are left out. Bound the depth before.
 */
export function encodeSortedJson(value: unknown): string {
  if (isList(value)) return `[${value.map(encodeSortedJson).join(',')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  return `{${sortedKeys(value)
    .map((key) => `${stringifyJson(key)}:${encodeSortedJson(value[key])}`)
    .join(',')}}`;
}
