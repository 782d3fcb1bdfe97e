import { isList, sortedKeys } from '../json/go-value.ts';
import { isJsonObject } from '../json/index.ts';
import { stringifyJson } from '../json/stringify-json.ts';

/**
 * Encodes JSON as Go encodes a map: keys sorted by their bytes, no spaces, and HTML characters escaped. Keys whose value is undefined are
 * left out. The caller must limit the depth.
 */
export function encodeSortedJson(value: unknown): string {
  if (isList(value)) return `[${value.map(encodeSortedJson).join(',')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  return `{${sortedKeys(value)
    .map((key) => `${stringifyJson(key)}:${encodeSortedJson(value[key])}`)
    .join(',')}}`;
}
