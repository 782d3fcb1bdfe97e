import { quote } from '../strconv/quote.ts';
import { isJsonObject } from './own-entry.ts';

export type JsonObject = Record<string, unknown>;

export const isList: (value: unknown) => value is readonly unknown[] = Array.isArray;

/** Returns Go's name of the dynamic type of a decoded JSON value, which some messages contain. */
export function goType(value: unknown): string {
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (isList(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
    default:
      return '%!s(<nil>)';
  }
}

/** Returns the name that Go's decoder uses for a JSON value of the wrong type. */
export function jsonKind(value: unknown): string {
  if (isList(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

/** Prints a JSON value as Go's `%v` does, keys sorted: `map[a:[1 <nil>] b:x]`. The caller must limit the depth. */
export function formatValue(value: unknown): string {
  return format(value, (scalar) => (typeof scalar === 'number' ? formatNumber(scalar) : String(scalar ?? '<nil>')));
}

/** Prints a JSON value as Go's `%s` does, which marks values that are not strings. */
export function formatAsString(value: unknown): string {
  if (value === null) return '%!s(<nil>)';
  return format(value, (scalar) => {
    if (typeof scalar === 'string') return scalar;
    return scalar === null ? '<nil>' : `%!s(${goType(scalar)}=${formatValue(scalar)})`;
  });
}

function format(value: unknown, scalar: (value: unknown) => string): string {
  if (isList(value)) return `[${value.map((item) => format(item, scalar)).join(' ')}]`;
  if (!isJsonObject(value)) return scalar(value);
  const entries = sortedKeys(value).map((key) => `${key}:${format(value[key], scalar)}`);
  return `map[${entries.join(' ')}]`;
}

/** Go uses exponents sooner than JavaScript, and writes them with two digits. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || Number.isSafeInteger(value) || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Returns the object's keys in the order of Go's strings, without those whose value is undefined. */
export const sortedKeys = (object: JsonObject): string[] =>
  Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort(compareStrings);

/**
 * Compares strings by their UTF-8 bytes, as Go does. JavaScript compares UTF-16 code units, which puts surrogates before other large code
 * units.
 */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return byCodePoint(left) - byCodePoint(right);
  }
  return a.length - b.length;
}

/** Raises surrogates above all other code units, because the characters they encode are larger. */
const byCodePoint = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Returns the integer in the text, or Go's error message when there is none. */
export function parseIndex(text: string): bigint | string {
  const complaint = (why: string) => `strconv.Atoi: parsing ${quote(text)}: ${why}`;
  const [, sign, digits] = /^([+-]?)0*([0-9]+)$/.exec(text) ?? [];
  if (digits === undefined) return complaint('invalid syntax');
  // Not converted if it has more than 19 digits: the time is not linear in the number of digits.
  const value = digits.length > 19 ? 2n ** 64n : BigInt(digits) * (sign === '-' ? -1n : 1n);
  return value === BigInt.asIntN(64, value) ? value : complaint('value out of range');
}
