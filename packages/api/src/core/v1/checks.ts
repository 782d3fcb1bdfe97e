import { type ErrorList, notSupported, type Path, required } from '@coxswain/apimachinery';

export { invalidEach } from '@coxswain/apimachinery';

/**
 * A text of a type of its own, or behind a pointer: messages print it as JSON, and not as Go quotes strings. The
 * difference shows in control characters and in what HTML could misread.
 */
export const printedAsJson = (text: string): unknown => (/[^ -~]|[<>&]/.test(text) ? Object(text) : text);

/** `Unsupported value` unless it is one of the values, which are printed in the order given. Absent is empty. */
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

/** As `unlessSupported`, but nothing at all is `Required value`. */
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

/** `unlessSupported` for the field `name` of what is at `path`, unless it is absent. */
export function checkSupported(
  path: Path,
  name: string,
  value: string | undefined,
  values: readonly string[],
  errors: ErrorList,
): void {
  if (value !== undefined && !values.includes(value)) unlessSupported(path.child(name), value, values, errors);
}

/** `requiredSupported` for the field `name` of what is at `path`. */
export function checkRequiredSupported(
  path: Path,
  name: string,
  value: string | undefined,
  values: readonly string[],
  errors: ErrorList,
): void {
  if (!value || !values.includes(value)) requiredSupported(path.child(name), value, values, errors);
}

/** `Required value` for each of the fields that is empty or absent, in the order given. */
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

/** The names in a map, in the order in which messages about them come out the same every time. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

/** Both names and values of a map, in the order of `sortedKeys`. */
export const sortedEntries = <T>(map: Readonly<Record<string, T>> | undefined): [string, T][] =>
  map ? sortedKeys(map).map((key) => [key, map[key]!]) : [];

/** The map as messages print it: in the order of its keys. */
export const inOrder = (map: Readonly<Record<string, string>> | undefined): object | undefined =>
  map && Object.fromEntries(sortedEntries(map));
