import { duplicate, type ErrorList, type Path, tooMany } from '@coxswain/apimachinery';

type Validate<T> = (item: T, path: Path) => ErrorList;

/** Validates every item of a list. A list that is too long is one error, and its items are not validated. */
export function validateSlice<T>(
  list: readonly T[] | null | undefined,
  maxItems: number | undefined,
  validate: Validate<T>,
  path: Path,
): ErrorList {
  if (!list) return [];
  if (maxItems !== undefined && list.length > maxItems) return [tooMany(path, list.length, maxItems)];
  return list.flatMap((item, i) => validate(item, path.index(i)));
}

/** Like `validateSlice`, and validates that keys are unique. `show` returns the value that the message prints. */
export function validateSet<T>(
  list: readonly T[] | null | undefined,
  maxItems: number | undefined,
  validate: Validate<T>,
  keyOf: (item: T) => string,
  path: Path,
  show: (item: T) => unknown = keyOf,
): ErrorList {
  const errors = validateSlice(list, maxItems, validate, path);
  if (!list || (maxItems !== undefined && list.length > maxItems)) return errors;
  const seen = new Set<string>();
  list.forEach((item, i) => {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(path.index(i), show(item)));
    seen.add(key);
  });
  return errors;
}

/**
 * Validates every key and value of a map. Errors of a key are reported at the map's path; long keys are abbreviated in
 * the middle.
 */
export function validateMap<T>(
  map: Readonly<Record<string, T>> | null | undefined,
  limits: { readonly maxItems?: number; readonly keyLength: number },
  validateKey: Validate<string>,
  validateValue: Validate<T>,
  path: Path,
): ErrorList {
  const entries = Object.entries(map ?? {});
  const { maxItems, keyLength } = limits;
  if (maxItems !== undefined && entries.length > maxItems) return [tooMany(path, entries.length, maxItems)];
  return entries.flatMap(([key, value]) => [
    ...validateKey(key, path),
    ...validateValue(value, path.key(truncate(key, keyLength))),
  ]);
}

function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = maxLength - '...'.length;
  return `${text.slice(0, Math.trunc((kept + 1) / 2))}...${text.slice(text.length - Math.trunc(kept / 2))}`;
}
