import { compareStrings, isList, type JsonObject } from '../../json/go-value.ts';
import { isJsonObject, jsonEquals, ownEntry, setOwnEntry } from '../../json/index.ts';
import { isEmpty } from '../map-entries.ts';
import { PatchError } from '../patch-error.ts';
import { diffLists } from './diff-list.ts';
import { DELETE_FROM_PRIMITIVE_LIST, PATCH, RETAIN_KEYS, SET_ELEMENT_ORDER } from './directives.ts';
import { lookupListField, lookupMapField, type PatchField, type PatchType } from './patch-meta.ts';

/** The differences that a patch contains. */
export interface DiffOptions {
  readonly changes: boolean;
  readonly deletions: boolean;
  readonly setElementOrder: boolean;
}

/**
 * Returns the strategic merge patch from one object to the other. Modifies neither, but the patch shares values with `modified`. The
 * caller must limit the depth of `modified`. Throws PatchError when the schema has no field for a difference.
 */
export function diffMaps(
  original: JsonObject,
  modified: JsonObject,
  type: PatchType,
  options: DiffOptions,
  retainKeys = false,
): JsonObject {
  const patch: JsonObject = {};
  const change = (key: string, value: unknown) => {
    if (options.changes) setOwnEntry(patch, key, value);
  };
  const present = (object: JsonObject) => Object.keys(object).filter((key) => object[key] !== undefined);

  for (const key of present(modified)) {
    const after = modified[key];
    const before = ownEntry(original, key);
    if (before === undefined) {
      change(key, after);
    } else if (key === PATCH) {
      if (typeof before !== 'string' || typeof after !== 'string') {
        throw new PatchError(`invalid value for special key: ${PATCH}`);
      }
      if (before !== after) patch[PATCH] = after;
    } else if (isJsonObject(before) && isJsonObject(after)) {
      const field = lookup(lookupMapField, type, key, before, after);
      if (!field) continue;
      if (field.strategy === 'replace') {
        change(key, after);
      } else {
        const inner = diffMaps(before, after, field.type, options, field.retainKeys);
        if (!isEmpty(inner)) setOwnEntry(patch, key, inner);
      }
    } else if (isList(before) && isList(after)) {
      const field = lookup(lookupListField, type, key, before, after);
      if (!field) continue;
      if (field.strategy === 'merge') {
        const { items, deletions, order } = diffLists(before, after, field, options, (from, to) =>
          diffMaps(from, to, field.type, options, field.retainKeys),
        );
        if (items.length > 0) setOwnEntry(patch, key, items);
        if (deletions.length > 0) patch[`${DELETE_FROM_PRIMITIVE_LIST}/${key}`] = deletions;
        if (order.length > 0) patch[`${SET_ELEMENT_ORDER}/${key}`] = order;
      } else if (!jsonEquals(before, after)) {
        change(key, after);
      }
    } else if (!jsonEquals(before, after)) {
      change(key, after);
    }
  }

  const gone = present(original).filter((key) => ownEntry(modified, key) === undefined);
  if (options.deletions) for (const key of gone) setOwnEntry(patch, key, null);
  if (retainKeys) {
    const retained = present(modified).filter((key) => modified[key] !== null);
    const clears = gone.some((key) => original[key] !== null);
    if (retained.length > 0 && (clears || !isEmpty(patch))) patch[RETAIN_KEYS] = retained.sort(compareStrings);
  }
  return patch;
}

/** Returns undefined for a field that the schema does not have if its value is unchanged. */
function lookup(
  find: (type: PatchType, key: string) => PatchField,
  type: PatchType,
  key: string,
  before: unknown,
  after: unknown,
): PatchField | undefined {
  try {
    return find(type, key);
  } catch (error) {
    if (jsonEquals(before, after)) return undefined;
    throw error;
  }
}
