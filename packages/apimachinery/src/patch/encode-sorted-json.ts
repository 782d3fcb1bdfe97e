import { isJsonObject } from '../json/index.ts';
import { isList, sortedKeys } from './go-value.ts';

/**
 * JSON as Go writes a map: keys sorted by their bytes, no spaces, and what HTML could misread escaped. Keys whose value
 * is undefined are left out. Bound the depth before.
 */
export function encodeSortedJson(value: unknown): string {
  if (isList(value)) return `[${value.map(encodeSortedJson).join(',')}]`;
  if (isJsonObject(value)) {
    return `{${sortedKeys(value)
      .map((key) => `${encodeString(key)}:${encodeSortedJson(value[key])}`)
      .join(',')}}`;
  }
  if (typeof value === 'string') return encodeString(value);
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
}

const encodeString = (text: string): string =>
  JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
