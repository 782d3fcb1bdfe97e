import { type ErrorList, invalid, notSupported, type Path, required } from '@coxswain/apimachinery';

/** An `Invalid value` for each of the messages that a name or format check gave. */
export function invalidEach(path: Path, value: unknown, messages: readonly string[]): ErrorList {
  return messages.map((message) => invalid(path, value, message));
}

/** `Unsupported value` unless it is one of the values, which are printed in the order given. */
export function unlessSupported(path: Path, value: string, values: readonly string[]): ErrorList {
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

/** As `unlessSupported`, but nothing at all is `Required value`. */
export function requiredSupported(path: Path, value: string | undefined, values: readonly string[]): ErrorList {
  return value ? unlessSupported(path, value, values) : [required(path)];
}

/** `Required value` for each of the fields that is empty or absent, in the order given. */
export function requiredFields<T extends object>(path: Path, object: T, names: readonly (keyof T & string)[]): ErrorList {
  const errors: ErrorList = [];
  for (const name of names) if (isEmpty(object[name])) errors.push(required(path.child(name)));
  return errors;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Both names and values of a map, in the order in which messages about them come out the same every time. */
export const sortedEntries = <T>(map: Readonly<Record<string, T>> | undefined): [string, T][] =>
  map ? Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) : [];
