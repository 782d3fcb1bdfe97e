import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';

const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Fields that may hold schemas, in the order of visits: one schema, a list of schemas, a map of schemas, or a value
 * that is not a schema.
 */
const childFields = [
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'properties',
  'additionalProperties',
  'patternProperties',
  'additionalItems',
  'definitions',
  'dependencies',
] as const satisfies readonly (keyof JSONSchemaProps)[];

const namedFields: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);

/**
 * Calls `find` for the schemas directly inside the schema and returns its first result other than undefined. It builds
 * no list of them: definitions have tens of thousands of schemas, most without nested ones.
 */
export function findInChild<T>(
  schema: JSONSchemaProps,
  find: (child: JSONSchemaProps) => T | undefined,
): T | undefined {
  for (const field of childFields) {
    const value = schema[field];
    if (value === undefined) continue;
    const isMany = Array.isArray(value) || namedFields.has(field);
    const found = isMany ? findAmong(value, find) : isSchema(value) ? find(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function findAmong<T>(schemas: unknown, find: (child: JSONSchemaProps) => T | undefined): T | undefined {
  for (const child of Object.values(schemas ?? {})) {
    const found = isSchema(child) ? find(child) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reports whether the predicate holds for the schema or one inside it, at any depth. */
export function someSchema(schema: JSONSchemaProps | undefined, isSuch: (schema: JSONSchemaProps) => boolean): boolean {
  const find = (one: JSONSchemaProps): true | undefined => (isSuch(one) ? true : findInChild(one, find));
  return schema !== undefined && find(schema) === true;
}

/** Returns the schema of all items; undefined for none and for a list of schemas. */
export function itemSchema({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return Array.isArray(items) ? undefined : items;
}

/** Returns the schema of `additionalProperties`; undefined when it is absent or a boolean. */
export function additionalSchema({ additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

/** Returns a property's schema by its name; undefined for names inherited from Object.prototype. */
export function propertySchema({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
