import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';

const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schemas directly inside a schema, wherever a schema may stand. */
export function childSchemas(schema: JSONSchemaProps): JSONSchemaProps[] {
  const { items, not, additionalProperties, additionalItems } = schema;
  return [
    ...(Array.isArray(items) ? items : [items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    not,
    ...Object.values(schema.properties ?? {}),
    additionalProperties,
    ...Object.values(schema.patternProperties ?? {}),
    additionalItems,
    ...Object.values(schema.definitions ?? {}),
    ...Object.values(schema.dependencies ?? {}),
  ].filter(isSchema);
}

/** Whether the schema or one inside it, at any depth, is such. */
export function someSchema(schema: JSONSchemaProps | undefined, isSuch: (schema: JSONSchemaProps) => boolean): boolean {
  if (!schema) return false;
  return isSuch(schema) || childSchemas(schema).some((child) => someSchema(child, isSuch));
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
