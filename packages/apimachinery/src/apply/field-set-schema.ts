import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { deducedType, type ValueType } from './value-type.ts';

/** Returns the type of the value at a path element; undefined when the type has no such element. */
function typeBelow(type: ValueType, element: PathElement): ValueType | undefined {
  if (element[0] === 'f') {
    const { map } = type;
    return map && (map.fieldsByElement.get(element)?.type ?? map.elements);
  }
  return type.list?.items;
}

const anything: ValueType = {};

/**
 * Returns the set with every struct field above a member added as a member. Sets do not contain struct fields that have members below
 * them, but removing all content of such a field means removing the field.
 */
export function withNamedFields(type: ValueType, set: FieldSet): FieldSet {
  return set.mapChildren((element, child) => {
    const isKey = element[0] === 'f' || element[0] === 'k';
    const named = withNamedFields((isKey && typeBelow(type, element)) || anything, child);
    return type.map?.fieldsByElement.has(element) ? named.withMember(true) : named;
  });
}

/** Returns the set as if it had been written with this schema: members below a path that is atomic now are replaced by that path. */
export function reconcileWithSchema(type: ValueType, set: FieldSet): FieldSet {
  if (set.children.size === 0 || type.map === deducedType.map) return set;
  if (type.map === undefined && type.scalar !== undefined) return set;
  if ((type.map ?? type.list)?.atomic) return FieldSet.leaf;
  return set.mapChildren((element, child) => {
    const childType = type.map ? (typeBelow(type, element) ?? type.map.elements) : type.list?.items;
    return childType === undefined ? child : reconcileWithSchema(childType, child);
  });
}
