import { isJsonObject } from '../json/index.ts';
import { FieldSet } from './field-set.ts';
import { indexItems, itemNames } from './list-items.ts';
import type { PathElement } from './path-element.ts';
import type { Shape } from './recent-shapes.ts';
import { alternativeOf, elementOfKey, type ListType, type MapType, typeOfKey, type ValueType } from './value-type.ts';

/** The fields that applying the value claims: its leaves, the items of lists, the keys of maps. */
export const toFieldSet = (type: ValueType, value: unknown): FieldSet => claimed(type, value, false).withMember(false);

/** Every path in the value, containers and the value itself included. */
export const everyPlace = (type: ValueType, value: unknown): FieldSet => claimed(type, value, true).withMember(true);

/** With `all`, containers are members as well. Otherwise the caller decides by the parent whether a container is one. */
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
  const names = itemNames(list, value);
  const known = names && list.shapesByNames.find(names);
  if (names && known) return claimedAs(known, list, names, (i) => claimed(list.items, value[i], all).withMember(true));
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const [element, items] of indexItems(list, value).items) {
    elements.push(element);
    // Duplicates are owned together, as one item.
    children.push(items.length > 1 ? FieldSet.leaf : claimed(list.items, items[0], all).withMember(true));
  }
  const set = list.shapes.node(elements, children);
  if (names && elements.length === value.length) list.shapesByNames.remember({ names, elements, children, set });
  return set;
}

function claimedByMap(map: MapType, value: unknown, all: boolean): FieldSet {
  if (map.atomic || !isJsonObject(value)) return FieldSet.leaf;
  const names = Object.keys(value);
  if (names.length === 0) return FieldSet.leaf;
  const claimOf = (i: number): FieldSet => {
    const key = names[i]!;
    const child = claimed(typeOfKey(map, key), value[key], all);
    // A struct field with members below it is claimed through them; a key of a map is always a member.
    return all || !map.fields.has(key) ? child.withMember(true) : child;
  };
  const known = map.shapesByNames.find(names);
  if (known) return claimedAs(known, map, names, claimOf);
  const elements = names.map((key) => elementOfKey(map, key));
  const children = names.map((_, i) => claimOf(i));
  const set = nodeOf(map, elements, children);
  map.shapesByNames.remember({ names, elements, children, set });
  return set;
}

/** Returns the set of a container with the names of a known shape. */
function claimedAs(
  known: Shape,
  type: ListType | MapType,
  names: readonly unknown[],
  claimOf: (index: number) => FieldSet,
): FieldSet {
  const { elements } = known;
  /** Created as soon as a child's set differs from the known shape's. */
  let children: FieldSet[] | undefined;
  for (let i = 0; i < elements.length; i++) {
    const child = claimOf(i);
    if (!children && child !== known.children[i]) children = known.children.slice(0, i);
    children?.push(child);
  }
  if (!children) return known.set;
  const same = type.shapesByNames.find(names, children);
  if (same) return same.set;
  const set = nodeOf(type, elements, children);
  type.shapesByNames.remember({ names, elements, children, set });
  return set;
}

/** Returns the node of the children whose set is not empty. */
function nodeOf(type: ListType | MapType, elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet {
  if (!children.some((child) => child.isEmpty())) return type.shapes.node(elements, children);
  return type.shapes.node(
    elements.filter((_, i) => !children[i]!.isEmpty()),
    children.filter((child) => !child.isEmpty()),
  );
}
