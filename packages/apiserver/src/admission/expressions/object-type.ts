import { quote } from '@coxswain/apimachinery';
import { CelList, type CelMap, type CelType, type CelValue, DYN, EntryMap, objectType } from '@coxswain/cel';
import { JSON_PATCH } from '@coxswain/cel/library';

/** The result of `Object.spec{…}`: a part of an object, of which only the path in the type name is known. */
export class ObjectValue extends EntryMap {
  readonly #type: CelType;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    super(fields);
    this.#type = type;
  }

  override get objectType(): CelType {
    return this.#type;
  }
}

/** The type of whole objects, as in apply configurations. */
export const OBJECT = dynamicType('Object');

function dynamicType(name: string): CelType {
  const type: CelType = objectType(name, {
    field: () => DYN,
    construct: (fields) => new ObjectValue(type, fields),
  });
  return type;
}

/**
 * Resolves type names in expressions of mutating policies: `JSONPatch`, `Object`, and paths such as
 * `Object.spec.template`.
 */
export function patchType(name: string): CelType | undefined {
  if (name === 'JSONPatch') return JSON_PATCH;
  if (name === 'Object') return OBJECT;
  return name.startsWith('Object.') ? dynamicType(name) : undefined;
}

/** A bound on recursion: no expression that can be parsed creates deeper values. */
const maxDepth = 1000;

/**
 * Returns errors for parts whose types do not match the fields they are in:
 * `Object.spec{ selector: Object.spec.wrong{} }`. Lists and maps in between have no type names, and are skipped.
 */
export function misnamedParts(value: CelValue, path?: string, depth = 0): string[] {
  if (depth > maxDepth) return [];
  if (value instanceof ObjectValue) {
    const { name } = value.objectType;
    const expected = path ?? name;
    const own =
      name === expected
        ? []
        : [
            `unexpected type name ${quote(name)}, expected ${quote(expected)}, which matches field name path from root Object type`,
          ];
    return [...own, ...entries(value).flatMap(([key, field]) => misnamedParts(field, `${expected}.${key}`, depth + 1))];
  }
  // Values from data contain no ObjectValues.
  if (value instanceof EntryMap) return entries(value).flatMap(([, field]) => misnamedParts(field, path, depth + 1));
  if (value instanceof CelList && !('json' in value))
    return [...value].flatMap((item) => misnamedParts(item, path, depth + 1));
  return [];
}

function entries(map: CelMap): [key: string, value: CelValue][] {
  return [...map.keys()].map((key) => [String(key), map.get(key) ?? null]);
}
