import { isJsonObject, setOwnEntry } from '../json/index.ts';
import type { FieldSet } from './field-set.ts';
import { itemElement } from './list-items.ts';
import { alternativeOf, elementOfKey, type ListType, type MapType, typeOfKey, type ValueType } from './value-type.ts';

/** The value without the fields, keys and items in the set. A container that lost all of its content becomes null. */
export function removeItems(type: ValueType, value: unknown, set: FieldSet): unknown {
  switch (alternativeOf(type, value)) {
    case 'list':
      return removeFromList(type.list!, value, set);
    case 'map':
      return removeFromMap(type.map!, value, set);
    default:
      return value;
  }
}

function removeFromList(type: ListType, value: unknown, set: FieldSet): unknown {
  if (!Array.isArray(value) || type.atomic) return null;
  const kept: unknown[] = [];
  for (const item of value) {
    const selected = set.children.get(itemElement(type, item));
    if (selected?.member) continue;
    kept.push(selected === undefined ? item : removeItems(type.items, item, selected));
  }
  return kept.length > 0 ? kept : null;
}

function removeFromMap(type: MapType, value: unknown, set: FieldSet): unknown {
  if (!isJsonObject(value) || type.atomic) return null;
  const kept: Record<string, unknown> = {};
  let isEmpty = true;
  for (const key of Object.keys(value)) {
    const selected = set.children.get(elementOfKey(type, key));
    if (selected?.member) continue;
    setOwnEntry(
      kept,
      key,
      selected === undefined ? value[key] : removeItems(typeOfKey(type, key), value[key], selected),
    );
    isEmpty = false;
  }
  return isEmpty ? null : kept;
}

/** The value's fields, keys and items in the set and nothing else; null when there are none. */
export function extractItems(type: ValueType, value: unknown, set: FieldSet): unknown {
  switch (alternativeOf(type, value)) {
    case 'list':
      return extractFromList(type.list!, value, set);
    case 'map':
      return extractFromMap(type.map!, value, set);
    default:
      return value;
  }
}

function extractFromList(type: ListType, value: unknown, set: FieldSet): unknown {
  if (!Array.isArray(value)) return null;
  if (type.atomic || value.length === 0) return value;
  const taken: unknown[] = [];
  for (const item of value) {
    const selected = set.children.get(itemElement(type, item));
    if (selected === undefined) continue;
    taken.push(selected.children.size === 0 ? item : extractItems(type.items, item, selected));
  }
  return taken.length > 0 ? taken : null;
}

function extractFromMap(type: MapType, value: unknown, set: FieldSet): unknown {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  if (type.atomic || keys.length === 0) return value;
  const taken: Record<string, unknown> = {};
  let isEmpty = true;
  for (const key of keys) {
    const selected = set.children.get(elementOfKey(type, key));
    if (selected === undefined) continue;
    // As upstream: the children of a member are looked up in the set of its parent. Of a map that is a member itself, only keys that the
    // parent's set happens to contain are extracted. Leaves, the usual case, are extracted whole.
    const below = selected.member ? set : selected;
    setOwnEntry(taken, key, extractItems(typeOfKey(type, key), value[key], below));
    isEmpty = false;
  }
  return isEmpty ? null : taken;
}
