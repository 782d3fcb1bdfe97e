import { Catalogue } from '@coxswain/api';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import type { Field, ListSchema, Schema, StructSchema } from '@coxswain/apimachinery';

/**
 * Converts a schema for server-side apply: how lists and maps merge, and the types of scalars. It must only be used by
 * FieldManager: custom objects are stored as they were sent, so it must not normalize them.
 */
export function structSchemaOf(
  kind: string,
  schema: JSONSchemaProps | undefined,
  preserveUnknownFields: boolean,
): StructSchema {
  if (!schema) return struct(kind, [], { preserveUnknownFields: true });
  return resource(kind, { ...schema, ...(preserveUnknownFields && { 'x-kubernetes-preserve-unknown-fields': true }) });
}

/** The schema of an object with its own apiVersion, kind and metadata. */
function resource(name: string, schema: JSONSchemaProps): StructSchema {
  const own = Object.entries(schema.properties ?? {}).filter(([key]) => !metaFields.has(key));
  return struct(
    name,
    [
      field('apiVersion', { kind: 'string' }),
      field('kind', { kind: 'string' }),
      field('metadata', Catalogue.builtIn().type('meta.v1.ObjectMeta')),
      ...own.map(([key, child]) => field(key, schemaOf(child), child.default)),
    ],
    marks(schema),
  );
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

function marks(schema: JSONSchemaProps): Partial<StructSchema> {
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    ...(schema['x-kubernetes-preserve-unknown-fields'] && { preserveUnknownFields: true }),
    ...(schema['x-kubernetes-embedded-resource'] && { embeddedResource: true }),
  };
}

const struct = (name: string, declared: readonly Field[], more: Partial<StructSchema>): StructSchema => ({
  kind: 'struct',
  name,
  fullName: name,
  declared,
  fields: new Map(declared.map((one) => [one.name, one])),
  atomic: false,
  ...more,
});

const field = (name: string, schema: Schema, fallback?: unknown): Field => ({
  name,
  schema,
  number: 0,
  pointer: true,
  omitEmpty: true,
  omitZero: false,
  inline: false,
  required: false,
  patchStrategy: [],
  ...(fallback !== undefined && { default: fallback }),
});

function schemaOf(schema: JSONSchemaProps): Schema {
  switch (schema.type) {
    case 'object':
      return objectSchema(schema);
    case 'array':
      return listSchema(schema);
    case 'string':
      // As with times, apply accepts any scalar for a string with a format.
      return { kind: !schema.format || schema.format === 'byte' ? 'string' : 'time' };
    case 'integer':
      return { kind: 'int64' };
    case 'number':
      return { kind: 'double' };
    case 'boolean':
      return { kind: 'bool' };
    default:
      return schema.properties ? objectSchema(schema) : { kind: 'any' };
  }
}

function objectSchema(schema: JSONSchemaProps): Schema {
  if (schema['x-kubernetes-embedded-resource']) return resource('', schema);
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && !schema.properties) {
    const values: Schema = typeof additionalProperties === 'object' ? schemaOf(additionalProperties) : { kind: 'any' };
    return { kind: 'map', values, atomic: schema['x-kubernetes-map-type'] === 'atomic' };
  }
  const fields = Object.entries(schema.properties ?? {}).map(([key, child]) =>
    field(key, schemaOf(child), child.default),
  );
  return struct('', fields, marks(schema));
}

function listSchema(schema: JSONSchemaProps): ListSchema {
  const listType = schema['x-kubernetes-list-type'];
  const items = Array.isArray(schema.items) ? undefined : schema.items;
  return {
    kind: 'list',
    items: items ? schemaOf(items) : { kind: 'any' },
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    mapKeys: schema['x-kubernetes-list-map-keys'] ?? [],
  };
}
