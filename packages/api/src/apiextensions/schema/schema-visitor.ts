import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';

const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In the order in which they are visited: one schema, a list of schemas, schemas by name, or what is no schema at all. */
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
 * Gives the first that `find` gives for a schema directly inside the schema, wherever a schema may stand. Makes no list of
 * them: definitions have tens of thousands, most with nothing inside.
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

/** Whether the schema or one inside it, at any depth, is such. */
export function someSchema(schema: JSONSchemaProps | undefined, isSuch: (schema: JSONSchemaProps) => boolean): boolean {
  const find = (one: JSONSchemaProps): true | undefined => (isSuch(one) ? true : findInChild(one, find));
  return schema !== undefined && find(schema) === true;
}

/** The one schema of all items; undefined for none and for a list of schemas. */
export function itemSchema({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return Array.isArray(items) ? undefined : items;
}

/** The schema of properties that have no name; undefined where there is none, also if they are allowed. */
export function additionalSchema({ additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

/** A property's schema by its name, never one that every object inherits. */
export function propertySchema({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
