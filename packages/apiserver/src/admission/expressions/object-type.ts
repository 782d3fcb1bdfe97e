import { quote } from '@coxswain/apimachinery';
import { CelList, type CelMap, type CelType, type CelValue, DYN, EntryMap, objectType } from '@coxswain/cel';
import { JSON_PATCH } from '@coxswain/cel/library';

/** What `Object.spec{…}` makes: a part of an object, of which nothing is known but the name of its place. */
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

/** The type of whole objects, which apply configurations are of. */
export const OBJECT = dynamicType('Object');

function dynamicType(name: string): CelType {
  const type: CelType = objectType(name, {
    field: () => DYN,
    construct: (fields) => new ObjectValue(type, fields),
  });
  return type;
}

/** Types that expressions of mutating policies can name: `JSONPatch`, `Object` and `Object.spec.template` of any kind. */
export function patchType(name: string): CelType | undefined {
  if (name === 'JSONPatch') return JSON_PATCH;
  if (name === 'Object') return OBJECT;
  return name.startsWith('Object.') ? dynamicType(name) : undefined;
}

/** Values nest as deep as the expression that made them; this is deeper than any that can be parsed. */
const maxDepth = 1000;

/**
 * Parts whose types are not named after the fields they are in: `Object.spec{ selector: Object.spec.wrong{} }`. Lists and
 * maps in between have no names and do not count.
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
  // Of what came from data there is nothing to say.
  if (value instanceof EntryMap) return entries(value).flatMap(([, field]) => misnamedParts(field, path, depth + 1));
  if (value instanceof CelList && !('json' in value))
    return [...value].flatMap((item) => misnamedParts(item, path, depth + 1));
  return [];
}

function entries(map: CelMap): [key: string, value: CelValue][] {
  return [...map.keys()].map((key) => [String(key), map.get(key) ?? null]);
}
