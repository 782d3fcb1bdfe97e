import { compareStrings, formatValue, goType, isList, type JsonObject } from '../../json/go-value.ts';
import { assertJsonDepth, isJsonObject, ownEntry } from '../../json/index.ts';
import type { StructSchema } from '../../schema/schema.ts';
import { PatchError } from '../patch-error.ts';
import { itemKind, PATCH, RETAIN_KEYS } from './directives.ts';
import { lookupListField, lookupMapField, type PatchField, type PatchType } from './patch-meta.ts';

type List = readonly unknown[];

/**
 * Whether two strategic merge patches set a key to different values. A key in only one of them is no conflict, nor are lists of scalars
 * that are merged. Throws PatchError when the schema does not have a field that both have.
 *
 * Differs from upstream, which sorts the lists that it compares in place, and so changes the patch that is created.
 */
export function mergingMapsHaveConflicts(left: JsonObject, right: JsonObject, schema: StructSchema): boolean {
  assertJsonDepth(left);
  return valuesConflict(left, right, { schema, pointer: false });
}

function valuesConflict(left: unknown, right: unknown, type: PatchType, field?: PatchField): boolean {
  if (isJsonObject(left)) {
    if (!isJsonObject(right) || ownEntry(left, PATCH) !== ownEntry(right, PATCH)) return true;
    return field?.strategy !== 'replace' && mapsConflict(left, right, type);
  }
  if (isList(left)) return !isList(right) || listsConflict(left, right, type, field);
  return left !== right;
}

function mapsConflict(left: JsonObject, right: JsonObject, type: PatchType): boolean {
  return Object.keys(left).some((key) => {
    const value = left[key];
    const other = ownEntry(right, key);
    if (key === PATCH || key === RETAIN_KEYS || other === undefined || value === undefined) return false;
    const lookup = isList(value) ? lookupListField : isJsonObject(value) ? lookupMapField : undefined;
    const field = lookup?.(type, key);
    return valuesConflict(value, other, field?.type ?? type, field);
  });
}

function listsConflict(left: List, right: List, type: PatchType, field?: PatchField): boolean {
  const kind = itemKind(left, right);
  if (field?.strategy === 'merge') {
    if (kind === 'scalar') return false;
    const items = byMergeKey(left, field.mergeKey);
    const others = byMergeKey(right, field.mergeKey);
    return [...items].some(([key, item]) => {
      const other = others.get(key);
      return other !== undefined && valuesConflict(item, other, type);
    });
  }
  if (left.length !== right.length) return true;
  const [a, b] = kind === 'map' ? [left, right] : [sortedScalars(left), sortedScalars(right)];
  return a.some((item, index) => valuesConflict(item, b[index], type));
}

function byMergeKey(list: List, mergeKey: string): Map<string, JsonObject> {
  const items = new Map<string, JsonObject>();
  for (const item of list) {
    if (!isJsonObject(item)) throw new PatchError(`invalid element type in merging list:${formatValue(list)}`);
    const key = ownEntry(item, mergeKey);
    if (key === undefined) {
      throw new PatchError(`cannot find merge key \`${mergeKey}\` in merging list element:${formatValue(item)}`);
    }
    items.set(`${goType(key)} ${formatValue(key)}`, item);
  }
  return items;
}

/** Sorted and without duplicates, because the order of scalars does not matter. */
const sortedScalars = (list: List): List =>
  [...new Set(list)].sort((a, b) => compareStrings(formatValue(a), formatValue(b)));
