import { type ErrorList, invalid, notSupported, type Path, required } from '@coxswain/apimachinery';

/** An `Invalid value` for each of the messages that a name or format check gave. */
export function invalidEach(path: Path, value: unknown, messages: readonly string[]): ErrorList {
  return messages.map((message) => invalid(path, value, message));
}

/**
 * A text of a type of its own, or behind a pointer: messages print it as JSON, and not as Go quotes strings. The
 * difference shows in control characters and in what HTML could misread.
 */
export const printedAsJson = (text: string): unknown => (/[^ -~]|[<>&]/.test(text) ? Object(text) : text);

/** `Unsupported value` unless it is one of the values, which are printed in the order given. Absent is empty. */
export function unlessSupported(path: Path, value: string | undefined, values: readonly string[]): ErrorList {
  const text = value ?? '';
  return values.includes(text) ? [] : [notSupported(path, printedAsJson(text), values)];
}

/** As `unlessSupported`, but nothing at all is `Required value`. */
export function requiredSupported(path: Path, value: string | undefined, values: readonly string[]): ErrorList {
  return value ? unlessSupported(path, value, values) : [required(path)];
}

/** `Required value` for each of the fields that is empty or absent, in the order given. */
export function requiredFields<T extends object>(
  path: Path,
  object: T,
  names: readonly (keyof T & string)[],
): ErrorList {
  const errors: ErrorList = [];
  for (const name of names) if (isEmpty(object[name])) errors.push(required(path.child(name)));
  return errors;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Both names and values of a map, in the order in which messages about them come out the same every time. */
export const sortedEntries = <T>(map: Readonly<Record<string, T>> | undefined): [string, T][] =>
  map ? Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) : [];

/** The map as messages print it: in the order of its keys. */
export const inOrder = (map: Readonly<Record<string, string>> | undefined): object | undefined =>
  map && Object.fromEntries(sortedEntries(map));
