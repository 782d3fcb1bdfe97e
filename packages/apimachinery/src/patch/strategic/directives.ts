import { formatAsString, formatValue, goType, isList, type JsonObject } from '../../json/go-value.ts';
import { isJsonObject, ownEntry } from '../../json/index.ts';
import { PatchError } from '../patch-error.ts';

/** In an object of a patch: the operation on the object as a whole, `delete` or `replace`. */
export const PATCH = '$patch';
/** In an object of a patch: the keys to retain. All others are removed. */
export const RETAIN_KEYS = '$retainKeys';
/** Prefix of the name of a list of scalars: the items to remove from it. */
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';
/** Prefix of the name of a merged list: the order of its items. */
export const SET_ELEMENT_ORDER = '$setElementOrder';

export const isDeletion = (key: string): boolean => key.startsWith(DELETE_FROM_PRIMITIVE_LIST);
export const isOrdering = (key: string): boolean => key.startsWith(SET_ELEMENT_ORDER);

const badPrimitiveList = (): PatchError => new PatchError('invalid patch format of primitive list', 400);
export const badRetainKeys = (): PatchError => new PatchError('invalid patch format of retainKeys', 400);
export const badSetElementOrder = (): PatchError => new PatchError('invalid patch format of setElementOrder list', 400);
export const unknownDirective = (directive: unknown, patch: JsonObject): PatchError =>
  new PatchError(`unknown patch type: ${formatAsString(directive)} in map: ${formatValue(patch)}`);

/** Returns the name of the list in a key `prefix/list`. */
export function directedField(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw prefix === SET_ELEMENT_ORDER ? badSetElementOrder() : badPrimitiveList();
}

/** Throws PatchError for anything but a list. */
export function expectList(value: unknown): readonly unknown[] {
  if (isList(value)) return value;
  throw new PatchError(`expected a []interface {}, but received a ${goType(value)}`);
}

/** Throws PatchError for anything but an object. */
export function expectMap(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new PatchError(`expected a map[string]interface {}, but received a ${goType(value)}`);
}

/** Returns the item's merge key. Throws PatchError for an item that is not an object or lacks the key. */
export function mergeKeyOf(item: unknown, mergeKey: string): unknown {
  const map = expectMap(item);
  const value = ownEntry(map, mergeKey);
  if (value === undefined) throw noMergeKey(map, mergeKey);
  return value;
}

export const noMergeKey = (map: JsonObject, mergeKey: string): PatchError =>
  new PatchError(`map: ${formatValue(map)} does not contain declared merge key: ${mergeKey}`);

/** Whether an item is a directive to delete the item with its merge key. */
export const isDeleteItem = (item: unknown): boolean => ownEntry(expectMap(item), PATCH) === 'delete';

/**
 * Returns the kind of all items of the lists. Throws PatchError when they are of several types or are lists, or when there are none.
 *
 * Differs from upstream, which crashes when the first item is null.
 */
export function itemKind(...lists: readonly (readonly unknown[])[]): 'map' | 'scalar' {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const itemType = goType(item);
      type ??= itemType;
      if (type === '[]interface {}') throw new PatchError('lists of lists are not supported', 422);
      if (itemType !== type || item === null) {
        throw new PatchError(`list element types are not identical: ${formatValue(lists)}`);
      }
    }
  }
  if (type === undefined) throw new PatchError('no elements in any of the given slices');
  return type === 'map[string]interface {}' ? 'map' : 'scalar';
}
