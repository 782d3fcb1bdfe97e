import { isJsonObject } from '../json/index.ts';
import { type FieldPath, indexElement, printPath } from './path-element.ts';
import type { ValueType } from './value-type.ts';

/** Returns the printed paths of the atomic structs, maps and lists in a value. The values of maps are not searched. */
export function findAtomics({ map, list }: ValueType, value: unknown, path: FieldPath = []): string[] {
  const found: string[] = [];
  if (map && isJsonObject(value)) {
    if (map.atomic) found.push(printPath(path));
    for (const [key, item] of Object.entries(value)) {
      const field = map.fields.get(key);
      if (field) found.push(...findAtomics(field.type, item, [...path, field.element]));
    }
  }
  if (list && Array.isArray(value)) {
    if (list.atomic) found.push(printPath(path));
    value.forEach((item, index) => {
      found.push(...findAtomics(list.items, item, [...path, indexElement(index)]));
    });
  }
  return found;
}
