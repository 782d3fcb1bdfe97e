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

/** Other types cannot be checked; upstream treats fields of them as undefined. */
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

/** Objects without a schema. */
const opaqueObjects: ReadonlySet<Schema['kind']> = new Set<Schema['kind']>(['fieldsV1', 'rawObject', 'unknownObject']);

/**
 * Returns the CEL type of a built-in type, for type checking. Types of structs inside have names that start with
 * `name`, and are created on demand. Undefined when expressions cannot see the values.
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
      // Reserved words need not be escaped after a dot.
      const schema = byName.get(field) ?? (isReservedWord(field) ? byName.get(`__${field}__`) : undefined);
      const type = schema && builtInType(schema, `${name}.${field}`);
      if (schema) types.set(field, type);
      return type;
    },
  });
}
