import { cloneJson } from '../json/clone.ts';
import { assertJsonDepth } from '../json/depth.ts';
import { formatValue, goType } from '../json/go-value.ts';
import { isJsonObject, setOwnEntry } from '../json/own-entry.ts';
import { quote } from '../strconv/quote.ts';

/*
 * Access to fields of objects whose type is not known. Getters return undefined for an absent field, and throw with upstream's message
 * when its value is of another type. They use own properties only.
 */

type Fields = readonly string[];

/** Returns the value at the path itself, not a copy. */
export function nestedField(object: unknown, ...fields: Fields): unknown {
  let value = object;
  for (const [i, field] of fields.entries()) {
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw accessorError(fields.slice(0, i + 1), value, 'map[string]interface{}');
    value = Object.hasOwn(value, field) ? value[field] : undefined;
  }
  return value;
}

const getter =
  <T>(expected: string, guard: (value: unknown) => value is T) =>
  (object: unknown, ...fields: Fields): T | undefined => {
    const value = nestedField(object, ...fields);
    if (value === undefined || guard(value)) return value;
    throw accessorError(fields, value, expected);
  };

export const nestedString = getter('string', (value) => typeof value === 'string');
export const nestedBool = getter('bool', (value) => typeof value === 'boolean');
/** Returns a bigint beyond 2^53. */
export const nestedInt64 = getter(
  'int64',
  (value): value is number | bigint => typeof value === 'bigint' || Number.isSafeInteger(value),
);
export const nestedNumber = getter(
  'float64 or int64',
  (value): value is number | bigint => typeof value === 'bigint' || typeof value === 'number',
);
/** Returns the list itself, not a copy. */
export const nestedSlice = getter('[]interface{}', (value): value is unknown[] => Array.isArray(value));
/** Returns the object itself, not a copy. */
export const nestedMap = getter('map[string]interface{}', isJsonObject);

/** Returns the list itself, not a copy. */
export function nestedStringSlice(object: unknown, ...fields: Fields): string[] | undefined {
  const list = nestedSlice(object, ...fields);
  if (list === undefined || list.every((item) => typeof item === 'string')) return list;
  const odd = list.find((item) => typeof item !== 'string');
  throw new Error(
    `${jsonPath(fields)} accessor error: contains non-string key in the slice: ${ofTheType(odd)}, expected string`,
  );
}

/** Returns a copy. */
export function nestedStringMap(object: unknown, ...fields: Fields): Record<string, string> | undefined {
  const map = nestedMap(object, ...fields);
  if (map === undefined) return undefined;
  const strings: Record<string, string> = {};
  for (const [key, value] of Object.entries(map)) {
    if (typeof value !== 'string') {
      throw new Error(
        `${jsonPath(fields)} accessor error: contains non-string value in the map under key ${quote(key)}: ${ofTheType(value)}, expected string`,
      );
    }
    setOwnEntry(strings, key, value);
  }
  return strings;
}

/** Sets the field at the path to a copy of the value, and creates the objects on the path. Throws when one of them is something else. */
export function setNestedField(object: object, value: unknown, ...fields: Fields): void {
  const last = fields.at(-1);
  if (last === undefined || !isJsonObject(object)) throw new Error('an object and a field must be given');
  let parent = object;
  for (const [i, field] of fields.slice(0, -1).entries()) {
    if (!Object.hasOwn(parent, field)) setOwnEntry(parent, field, {});
    const child = parent[field];
    if (!isJsonObject(child)) {
      throw new Error(
        `value cannot be set because ${jsonPath(fields.slice(0, i + 1))} is not a map[string]interface{}`,
      );
    }
    parent = child;
  }
  setOwnEntry(parent, last, cloneJson(value));
}

/** Removes the field at the path, if it exists. */
export function removeNestedField(object: object, ...fields: Fields): void {
  const last = fields.at(-1);
  let parent: unknown = object;
  for (const field of fields.slice(0, -1)) {
    parent = isJsonObject(parent) && Object.hasOwn(parent, field) ? parent[field] : undefined;
  }
  if (last !== undefined && isJsonObject(parent)) delete parent[last];
}

const jsonPath = (fields: Fields): string => `.${fields.join('.')}`;

const accessorError = (fields: Fields, value: unknown, expected: string): Error =>
  new Error(`${jsonPath(fields)} accessor error: ${ofTheType(value)}, expected ${expected}`);

function ofTheType(value: unknown): string {
  assertJsonDepth(value);
  return `${formatValue(value)} is of the type ${value === null ? '<nil>' : goType(value)}`;
}
