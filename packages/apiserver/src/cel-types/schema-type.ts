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

/** The maximum request size, which bounds the size of every value. */
export const maxRequestBytes = 3 * 1024 * 1024;

/** Type and size bounds of the values of a schema, as far as CEL expressions can see them. */
export interface SchemaType {
  /** The type of scalars; undefined for lists, maps and objects. */
  readonly scalar?: CelType;
  /** The fields of objects, by their escaped names. */
  readonly fields?: ReadonlyMap<string, SchemaType>;
  /** The element of lists and maps. */
  readonly element?: SchemaType;
  readonly isMap?: boolean;
  /** Upper bound for the bytes of a string, the items of a list or the entries of a map. */
  readonly maxElements: number;
  /** Lower bound for the length of a value as JSON. */
  readonly minBytes: number;
}

/** Converts the schemas of one resource to types, and caches the results. */
export class SchemaTypes {
  readonly #known = new WeakMap<JSONSchemaProps, SchemaType | undefined>();
  readonly #resources = new WeakMap<JSONSchemaProps, SchemaType | undefined>();

  /**
   * Returns the type of a schema; undefined when expressions cannot see its values: values of unknown type, and lists
   * and maps of them. `isResource`: the schema describes an object with its own apiVersion, kind and metadata.
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
    // The list has brackets, and a comma after each item.
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

/** The properties of an object, for a resource with those that all resources have. */
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

/** The limit is in characters, and sizes are estimated in bytes: up to four for each character. */
function maxCharacters({ maxLength }: JSONSchemaProps): number | undefined {
  return maxLength === undefined ? undefined : Math.max(0, Number(maxLength)) * 4;
}

function longestValue(values: readonly unknown[] | undefined): number {
  if (!values?.length) return maxRequestBytes - 2;
  let longest = 0;
  for (const value of values) if (typeof value === 'string') longest = Math.max(longest, byteLength(value));
  return longest;
}

/** The CEL type of the values. Names of inner types start with `name`. Field types are created on demand. */
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

/** Estimates the sizes of values that are reached from `self` or `oldSelf`. */
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

/** Upstream estimates keys of maps as empty. */
const anyKey: SchemaType = { scalar: STRING, maxElements: 0, minBytes: 2 };
