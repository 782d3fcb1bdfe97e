import type { Schema, StructSchema } from '@coxswain/apimachinery';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  STRING,
  TIMESTAMP,
} from '@coxswain/cel';
import { escapeFieldName, isReservedWord } from '../../cel-types/field-escaping.ts';

/** What is not here has no type that expressions could be held to, and upstream takes fields of it for undefined. */
const scalars: ReadonlyMap<Schema['kind'], CelType> = new Map<Schema['kind'], CelType>([
  ['string', STRING],
  ['duration', STRING],
  ['bytes', BYTES],
  ['bool', BOOL],
  ['int32', INT],
  ['int64', INT],
  ['double', DOUBLE],
  ['intOrString', DYN],
  ['time', TIMESTAMP],
  ['microTime', TIMESTAMP],
]);

/** Objects of which nothing is known. */
const opaqueObjects: ReadonlySet<Schema['kind']> = new Set<Schema['kind']>(['fieldsV1', 'rawObject', 'unknownObject']);

/**
 * The type of values of a built-in type, as expressions are checked against it. Structs inside get names that begin with
 * `name`, and are looked into as far as expressions do. Undefined for what expressions cannot see.
 */
export function builtInType(schema: Schema, name: string): CelType | undefined {
  if (schema.kind === 'struct') return structType(schema, name);
  if (schema.kind === 'list') {
    const items = builtInType(schema.items, `${name}.@idx`);
    return items && listOf(items);
  }
  if (schema.kind === 'map') {
    const values = builtInType(schema.values, `${name}.@elem`);
    return values && mapOf(STRING, values);
  }
  return opaqueObjects.has(schema.kind) ? objectType(name) : scalars.get(schema.kind);
}

function structType({ fields }: StructSchema, name: string): CelType {
  const byName = new Map(
    [...fields].flatMap(([field, { schema }]) => {
      const escaped = escapeFieldName(field);
      return escaped === undefined ? [] : [[escaped, schema] as const];
    }),
  );
  const types = new Map<string, CelType | undefined>();
  return objectType(name, {
    field: (field) => {
      if (types.has(field)) return types.get(field);
      // Reserved words may be written as they are, after a dot.
      const schema = byName.get(field) ?? (isReservedWord(field) ? byName.get(`__${field}__`) : undefined);
      const type = schema && builtInType(schema, `${name}.${field}`);
      if (schema) types.set(field, type);
      return type;
    },
  });
}
