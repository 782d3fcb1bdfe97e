import {
  duplicate,
  type ErrorList,
  invalid,
  isJsonObject,
  Path,
  setOwnEntry,
  stringifyJson,
} from '@coxswain/apimachinery';
import { withSortedKeys } from './sorted-keys.ts';
import { type Structural, schemaOfKey } from './structural.ts';

/** Returns errors for duplicate items of lists of type set or map, at any depth of the value. */
export function validateUniqueLists(value: unknown, schema: Structural, path?: Path): ErrorList {
  const errors: ErrorList = [];
  if (schema.hasUniqueLists) walk(value, schema, path, errors);
  return errors;
}

const below = (path: Path | undefined, key: string): Path => (path ? path.child(key) : Path.of(key));

function walk(value: unknown, schema: Structural, path: Path | undefined, errors: ErrorList): void {
  if (Array.isArray(value)) {
    const place = path ?? Path.of('');
    if (schema.listType === 'set') checkUnique(value, (i) => value[i], place, errors);
    else if (schema.listType === 'map') checkMap(value, schema.listMapKeys, place, errors);
    const { items } = schema;
    if (!items?.hasUniqueLists) return;
    for (let i = 0; i < value.length; i++) walk(value[i], items, place.index(i), errors);
  } else if (isJsonObject(value)) {
    for (const key in value) {
      const child = schemaOfKey(schema, key);
      if (!child?.hasUniqueLists) continue;
      const isProperty = schema.properties.has(key);
      walk(value[key], child, isProperty ? below(path, key) : (path ?? Path.of('')).key(key), errors);
    }
  }
}

function checkMap(list: readonly unknown[], keys: readonly string[], path: Path, errors: ErrorList): void {
  const stray = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0) {
    errors.push(
      invalid(path.index(stray), withSortedKeys(list[stray]), 'must be an object for an array of list-type map'),
    );
    return;
  }
  if (list.length < 2) return;
  const [only] = keys;
  // A single key's value identifies the item; no object of keys is allocated.
  const identities =
    keys.length === 1 && only !== undefined
      ? list.map((item) => (isJsonObject(item) && Object.hasOwn(item, only) ? item[only] : undefined))
      : list.map((item) => keysOf(item, keys));
  checkUnique(identities, (i) => keysOf(list[i], keys), path, errors);
}

function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  if (isJsonObject(item)) for (const key of keys) if (Object.hasOwn(item, key)) setOwnEntry(found, key, item[key]);
  return found;
}

/** Reports the second of equal items, but no further ones. `shown` returns the value that the message prints for an item. */
function checkUnique(list: readonly unknown[], shown: (index: number) => unknown, path: Path, errors: ErrorList): void {
  if (list.length < 2) return;
  const scalars = new Map<unknown, number>();
  const compounds = new Map<string, number>();
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    const isScalar = typeof item !== 'object' || item === null;
    const times = isScalar ? count(scalars, item) : count(compounds, stringifyJson(withSortedKeys(item)));
    if (times === 2) errors.push(duplicate(path.index(i), withSortedKeys(shown(i))));
  }
}

function count<T>(seen: Map<T, number>, item: T): number {
  const times = (seen.get(item) ?? 0) + 1;
  seen.set(item, times);
  return times;
}
