import { quote } from '../strconv/quote.ts';
import { isJsonObject } from './own-entry.ts';

export type JsonObject = Record<string, unknown>;

export const isList: (value: unknown) => value is readonly unknown[] = Array.isArray;

/** What Go calls the dynamic type of a decoded JSON value; some messages show it. */
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

/** What Go's decoder calls the value that it could not put where it should go. */
export function jsonKind(value: unknown): string {
  if (isList(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

/** A JSON value as Go's `%v` prints it, keys sorted: `map[a:[1 <nil>] b:x]`. Bound the depth before. */
export function formatValue(value: unknown): string {
  return format(value, (scalar) => (typeof scalar === 'number' ? formatNumber(scalar) : String(scalar ?? '<nil>')));
}

/** The same by `%s`, which complains of whatever is no string. */
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

/** Go takes to exponents sooner than JavaScript does, and writes them with two digits. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || Number.isSafeInteger(value) || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** The object's keys as Go sorts strings, without those whose value is undefined. */
export const sortedKeys = (object: JsonObject): string[] =>
  Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort(compareStrings);

/** Go orders strings by their UTF-8 bytes, JavaScript by UTF-16 units: they disagree on what lies beyond surrogates. */
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

/** Lifts surrogates above the units that stand for smaller characters than any pair of them. */
const byCodePoint = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** The integer that the text stands for, or what Go says when it stands for none. */
export function parseIndex(text: string): bigint | string {
  const complaint = (why: string) => `strconv.Atoi: parsing ${quote(text)}: ${why}`;
  const [, sign, digits] = /^([+-]?)0*([0-9]+)$/.exec(text) ?? [];
  if (digits === undefined) return complaint('invalid syntax');
  // Reading a number takes longer than its length says: not for millions of digits.
  const value = digits.length > 19 ? 2n ** 64n : BigInt(digits) * (sign === '-' ? -1n : 1n);
  return value === BigInt.asIntN(64, value) ? value : complaint('value out of range');
}
