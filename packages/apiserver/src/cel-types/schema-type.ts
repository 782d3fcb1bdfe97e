import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { byteLength } from '@coxswain/apimachinery';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  type SizeEstimator,
  STRING,
  TIMESTAMP,
} from '@coxswain/cel';
import { escapeFieldName, isReservedWord } from './field-escaping.ts';
import { resourceProperties } from './resource-properties.ts';

/** The largest request: nothing in an object is larger. */
export const maxRequestBytes = 3 * 1024 * 1024;

/** What a schema says of the type and the size of values, as far as expressions can see them. */
export interface SchemaType {
  /** Of scalars; undefined where `fields` or `element` say more. */
  readonly scalar?: CelType;
  /** Of objects, by their name in expressions. */
  readonly fields?: ReadonlyMap<string, SchemaType>;
  /** Of lists and maps. */
  readonly element?: SchemaType;
  readonly isMap?: boolean;
  /** The most characters, items or entries that a value can have. */
  readonly maxElements: number;
  /** The shortest that a value can be in JSON. */
  readonly minBytes: number;
}

/** Makes the types of the schemas of one resource, each once. */
export class SchemaTypes {
  readonly #known = new WeakMap<JSONSchemaProps, SchemaType | undefined>();
  readonly #resources = new WeakMap<JSONSchemaProps, SchemaType | undefined>();

  /**
   * `isResource`: the schema is that of an object with apiVersion, kind and metadata of its own. Undefined for a schema
   * whose values expressions do not see: those of unknown type, and lists and maps of them.
   */
  of(schema: JSONSchemaProps, isResource = schema['x-kubernetes-embedded-resource'] === true): SchemaType | undefined {
    const known = isResource ? this.#resources : this.#known;
    if (known.has(schema)) return known.get(schema);
    const type = this.#make(schema, isResource);
    known.set(schema, type);
    return type;
  }

  #make(schema: JSONSchemaProps, isResource: boolean): SchemaType | undefined {
    if (schema['x-kubernetes-int-or-string']) {
      return { scalar: DYN, maxElements: maxCharacters(schema) ?? maxRequestBytes - 2, minBytes: 1 };
    }
    switch (schema.type) {
      case 'array':
        return this.#list(schema);
      case 'object':
        return this.#object(schema, isResource);
      case 'string':
        return stringType(schema);
      case 'boolean':
        return { scalar: BOOL, maxElements: 0, minBytes: 4 };
      case 'number':
        return { scalar: DOUBLE, maxElements: 0, minBytes: 1 };
      case 'integer':
        return { scalar: INT, maxElements: 0, minBytes: 1 };
      default:
        return undefined;
    }
  }

  #list({ items, maxItems }: JSONSchemaProps): SchemaType | undefined {
    const element = items && !Array.isArray(items) ? this.of(items) : undefined;
    if (!element) return undefined;
    // Of the largest request, brackets and a comma after each item are not for items.
    const most = Math.floor((maxRequestBytes - 2) / (element.minBytes + 1));
    return { element, maxElements: atLeastZero(maxItems) ?? most, minBytes: 2 };
  }

  #object(schema: JSONSchemaProps, isResource: boolean): SchemaType | undefined {
    const { additionalProperties, maxProperties } = schema;
    if (typeof additionalProperties === 'object') {
      const element = this.of(additionalProperties);
      if (!element) return undefined;
      // Each entry has a key in quotes, a colon and a comma.
      const most = Math.floor((maxRequestBytes - 2) / (element.minBytes + 6));
      return { element, isMap: true, maxElements: atLeastZero(maxProperties) ?? most, minBytes: 2 };
    }
    const fields = new Map<string, SchemaType>();
    let minBytes = 2;
    for (const [name, property] of propertiesOf(schema, isResource)) {
      const type = this.of(property);
      if (!type) continue;
      const escaped = escapeFieldName(name);
      if (escaped !== undefined) fields.set(escaped, type);
      const isGiven = schema.required?.includes(name) && (property.default ?? null) === null;
      if (isGiven) minBytes += byteLength(name) + type.minBytes + 4;
    }
    return { fields, maxElements: 0, minBytes };
  }
}

/** The properties of an object, with those that every resource has. */
export function propertiesOf(
  { properties = {} }: JSONSchemaProps,
  isResource: boolean,
): Iterable<readonly [string, JSONSchemaProps]> {
  if (!isResource) return Object.entries(properties);
  return resourceProperties(properties);
}

function stringType(schema: JSONSchemaProps): SchemaType {
  switch (schema.format) {
    case 'byte':
      return { scalar: BYTES, maxElements: atLeastZero(schema.maxLength) ?? maxRequestBytes - 2, minBytes: 2 };
    case 'duration':
      return { scalar: DURATION, maxElements: 32, minBytes: 3 };
    case 'date':
      return { scalar: TIMESTAMP, maxElements: 12, minBytes: 12 };
    case 'date-time':
      return { scalar: TIMESTAMP, maxElements: 32, minBytes: 21 };
    default:
      return { scalar: STRING, maxElements: maxCharacters(schema) ?? longestValue(schema.enum), minBytes: 2 };
  }
}

const atLeastZero = (limit: number | undefined): number | undefined =>
  limit === undefined ? undefined : Math.max(0, Number(limit));

/** Lengths are given in characters and estimated in bytes, of which a character has up to four. */
function maxCharacters({ maxLength }: JSONSchemaProps): number | undefined {
  return maxLength === undefined ? undefined : Math.max(0, Number(maxLength)) * 4;
}

function longestValue(values: readonly unknown[] | undefined): number {
  if (!values?.length) return maxRequestBytes - 2;
  let longest = 0;
  for (const value of values) if (typeof value === 'string') longest = Math.max(longest, byteLength(value));
  return longest;
}

/** The CEL type of values; objects inside get names that begin with `name`. Made as far as expressions look into it. */
export function celTypeOf(type: SchemaType, name: string): CelType {
  if (type.scalar) return type.scalar;
  if (type.element) {
    const element = celTypeOf(type.element, `${name}.${type.isMap ? '@elem' : '@idx'}`);
    return type.isMap ? mapOf(STRING, element) : listOf(element);
  }
  const known = new Map<string, CelType>();
  return objectType(name, {
    field: (field) => {
      const fieldType =
        type.fields?.get(field) ?? (isReservedWord(field) ? type.fields?.get(`__${field}__`) : undefined);
      if (!fieldType) return undefined;
      const celType = known.get(field) ?? celTypeOf(fieldType, `${name}.${field}`);
      known.set(field, celType);
      return celType;
    },
  });
}

/** The sizes that values reached from `self` (or `oldSelf`) can have. */
export function sizesWithin(root: SchemaType): SizeEstimator {
  return ({ path }) => {
    if (!path || path.length === 0) return undefined;
    let type: SchemaType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === '@keys') type = type.isMap ? anyKey : undefined;
      else if (step === '@items' || step === '@values') type = type.element;
      else type = type.fields?.get(step);
      if (!type) return undefined;
    }
    return { min: 0, max: type.maxElements };
  };
}

/** Upstream takes keys for empty. */
const anyKey: SchemaType = { scalar: STRING, maxElements: 0, minBytes: 2 };
