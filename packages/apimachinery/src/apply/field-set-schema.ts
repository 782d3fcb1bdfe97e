import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { deducedType, type ValueType } from './value-type.ts';

/** The type of what an element leads to; undefined when the type has no such place. */
function typeBelow(type: ValueType, element: PathElement): ValueType | undefined {
  if (element[0] === 'f') {
    const { map } = type;
    return map && (map.fieldsByElement.get(element)?.type ?? map.elements);
  }
  return type.list?.items;
}

const anything: ValueType = {};

/**
 * The set with every field of a struct that leads to a member. Sets name no struct fields that hold others,
 * yet removing all of such a field's content means removing the field.
 */
export function withNamedFields(type: ValueType, set: FieldSet): FieldSet {
  return set.mapChildren((element, child) => {
    const isKey = element[0] === 'f' || element[0] === 'k';
    const named = withNamedFields((isKey && typeBelow(type, element)) || anything, child);
    return type.map?.fieldsByElement.has(element) ? named.withMember(true) : named;
  });
}

/**
 * The set as it would be had it been written with this schema: what lies below a place that is atomic now
 * becomes ownership of that place.
 */
export function reconcileWithSchema(type: ValueType, set: FieldSet): FieldSet {
  if (set.children.size === 0 || type.map === deducedType.map) return set;
  if (type.map === undefined && type.scalar !== undefined) return set;
  if ((type.map ?? type.list)?.atomic) return FieldSet.leaf;
  return set.mapChildren((element, child) => {
    const childType = type.map ? (typeBelow(type, element) ?? type.map.elements) : type.list?.items;
    return childType === undefined ? child : reconcileWithSchema(childType, child);
  });
}
