import { type ErrorList, notSupported, type Path, required } from '@coxswain/apimachinery';

export { invalidEach } from '@coxswain/apimachinery';

/**
 * Wraps a string of a named Go type, or behind a pointer, which messages print as JSON and not as Go quotes strings.
 * The two differ for control characters, non-ASCII characters and `<`, `>`, `&`.
 */
export const printedAsJson = (text: string): unknown => (/[^ -~]|[<>&]/.test(text) ? Object(text) : text);

/**
 * Returns `Unsupported value` unless the value is supported. Messages list `values` in the given order. An absent value
 * counts as empty.
 */
export function unlessSupported(
  path: Path,
  value: string | undefined,
  values: readonly string[],
  errors: ErrorList = [],
): ErrorList {
  const text = value ?? '';
  if (!values.includes(text)) errors.push(notSupported(path, printedAsJson(text), values));
  return errors;
}

/** Like `unlessSupported`, but returns `Required value` for an empty or absent value. */
export function requiredSupported(
  path: Path,
  value: string | undefined,
  values: readonly string[],
  errors: ErrorList = [],
): ErrorList {
  if (value) return unlessSupported(path, value, values, errors);
  errors.push(required(path));
  return errors;
}

/** Applies `unlessSupported` to the field `name` below `path`, unless it is absent. */
export function checkSupported(
  path: Path,
  name: string,
  value: string | undefined,
  values: readonly string[],
  errors: ErrorList,
): void {
  if (value !== undefined && !values.includes(value)) unlessSupported(path.child(name), value, values, errors);
}

/** Applies `requiredSupported` to the field `name` below `path`. */
export function checkRequiredSupported(
  path: Path,
  name: string,
  value: string | undefined,
  values: readonly string[],
  errors: ErrorList,
): void {
  if (!value || !values.includes(value)) requiredSupported(path.child(name), value, values, errors);
}

/** Returns `Required value` for each field that is empty or absent, in the given order. */
export function requiredFields<T extends object>(
  path: Path,
  object: T,
  names: readonly (keyof T & string)[],
  errors: ErrorList = [],
): ErrorList {
  for (const name of names) if (isEmpty(object[name])) errors.push(required(path.child(name)));
  return errors;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Returns the sorted keys of a map, for messages in a stable order. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

/** Returns the entries of a map, sorted by key. */
export const sortedEntries = <T>(map: Readonly<Record<string, T>> | undefined): [string, T][] =>
  map ? sortedKeys(map).map((key) => [key, map[key]!]) : [];

/** Returns the map with sorted keys, as messages print it. */
export const inOrder = (map: Readonly<Record<string, string>> | undefined): object | undefined =>
  map && Object.fromEntries(sortedEntries(map));
