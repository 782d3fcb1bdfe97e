import { cloneJson } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { coerceEmbeddedResources } from './embedded-resource.ts';
import { prune } from './prune.ts';
import { additionalSchema, itemSchema } from './schema-visitor.ts';
import type { Structural } from './structural.ts';

export interface StructuralOptions {
  /**
   * Treat the schema as that of a resource with apiVersion, kind and metadata, whatever
   * `x-kubernetes-embedded-resource` says.
   */
  readonly isResource?: boolean;
  /** A cache shared by calls for nested schemas. */
  readonly known?: Map<JSONSchemaProps, Structural>;
}

/** Converts a schema to its structural form, to be used for many values. */
export function newStructural(schema: JSONSchemaProps, { isResource, known }: StructuralOptions = {}): Structural {
  const structural = known?.get(schema) ?? read(schema, known);
  known?.set(schema, structural);
  return isResource ? { ...structural, isEmbeddedResource: true, hasEmbeddedResources: true } : structural;
}

function read(schema: JSONSchemaProps, known: StructuralOptions['known']): Structural {
  const each = (child: JSONSchemaProps) => newStructural(child, known && { known });
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([key, child]) => [key, each(child)]));
  const others = additionalSchema(schema);
  const additional = others ? each(others) : schema.additionalProperties === undefined ? undefined : 'untyped';
  const itemsSchema = itemSchema(schema);
  const items = itemsSchema && each(itemsSchema);
  const listType = schema['x-kubernetes-list-type'];
  const isEmbeddedResource = schema['x-kubernetes-embedded-resource'] === true;
  const children = [...properties.values(), additional, items].filter((child) => typeof child === 'object');
  const structural: Structural = {
    properties,
    defaulted: [...properties].filter(([, property]) => property.default !== undefined),
    additional,
    items,
    preservesUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    isEmbeddedResource,
    isNullable: schema.nullable === true,
    default: schema.default ?? undefined,
    defaultSize: sizeOf(schema.default),
    listType,
    listMapKeys: schema['x-kubernetes-list-map-keys'] ?? [],
    hasDefaults: (schema.default ?? undefined) !== undefined || children.some((child) => child.hasDefaults),
    hasEmbeddedResources: isEmbeddedResource || children.some((child) => child.hasEmbeddedResources),
    hasUniqueLists: listType === 'set' || listType === 'map' || children.some((child) => child.hasUniqueLists),
  };
  return structural.default === undefined ? structural : { ...structural, default: pruned(structural) };
}

/** Returns the number of values in a value, itself included. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const child of Object.values(value)) size += sizeOf(child);
  return size;
}

/** Returns the default without unknown fields, which definitions stored by older servers may have. */
function pruned(schema: Structural): unknown {
  const value = cloneJson(schema.default);
  prune(value, schema);
  coerceEmbeddedResources(value, schema, true);
  return value;
}
