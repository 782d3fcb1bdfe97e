import { isJsonObject } from '../json/index.ts';
import { FieldSet } from './field-set.ts';
import { indexItems } from './list-items.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { alternativeOf, type ListType, type MapType, typeOfKey, type ValueType } from './value-type.ts';

/** The fields that applying the value claims: its leaves, the items of lists, the keys of maps. */
export const toFieldSet = (type: ValueType, value: unknown): FieldSet => claimed(type, value, false).withMember(false);

/** Every place there is in the value, what contains others too, itself included. */
export const everyPlace = (type: ValueType, value: unknown): FieldSet => claimed(type, value, true).withMember(true);

/** `all`: containers are members as well. Otherwise whether a container is one depends on where it stands. */
function claimed(type: ValueType, value: unknown, all: boolean): FieldSet {
  switch (alternativeOf(type, value)) {
    case 'list':
      return claimedByList(type.list!, value, all);
    case 'map':
      return claimedByMap(type.map!, value, all);
    default:
      return FieldSet.leaf;
  }
}

function claimedByList(list: ListType, value: unknown, all: boolean): FieldSet {
  if (list.atomic || value === null) return FieldSet.leaf;
  if (!Array.isArray(value) || value.length === 0) return FieldSet.empty;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const [element, items] of indexItems(list, value).items) {
    elements.push(element);
    // Duplicates are owned together, as one.
    children.push(items.length > 1 ? FieldSet.leaf : claimed(list.items, items[0], all).withMember(true));
  }
  return list.shapes.node(elements, children);
}

function claimedByMap(map: MapType, value: unknown, all: boolean): FieldSet {
  if (map.atomic || !isJsonObject(value)) return FieldSet.leaf;
  const keys = Object.keys(value);
  if (keys.length === 0) return FieldSet.leaf;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const key of keys) {
    const field = map.fields.get(key);
    const child = claimed(typeOfKey(map, key), value[key], all);
    // A struct's field that holds others is claimed through them; a key of a map is one by itself.
    const claim = all || field === undefined ? child.withMember(true) : child;
    if (claim.isEmpty()) continue;
    elements.push(field?.element ?? fieldElement(key));
    children.push(claim);
  }
  return map.shapes.node(elements, children);
}
