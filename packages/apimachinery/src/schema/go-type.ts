import type { Schema, StructSchema } from './schema.ts';

/** The last part of the Go package a struct lives in: `v1` for `core.v1.PodSpec`. */
const packageOf = (struct: StructSchema): string => struct.fullName.split('.').at(-2) ?? '';

const named = (goName: string, owner: StructSchema): string =>
  goName.includes('.') ? goName : `${packageOf(owner)}.${goName}`;

/** How Go prints the type of a value that stands in a field of `owner`: `[]v1.Container`, `v1.RestartPolicy`, `int32`. */
export function goTypeOf(schema: Schema, owner: StructSchema): string {
  if (schema.kind === 'struct') return `${packageOf(schema)}.${schema.name}`;
  if (schema.kind !== 'schemaOr' && schema.goName) return named(schema.goName, owner);
  switch (schema.kind) {
    case 'list':
      return `[]${goTypeOf(schema.items, owner)}`;
    case 'map':
      return `map[string]${goTypeOf(schema.values, owner)}`;
    case 'bytes':
      return '[]uint8';
    case 'double':
      return 'float64';
    case 'bool':
    case 'int32':
    case 'int64':
      return schema.kind;
    case 'intOrString':
      return 'int32';
    default:
      return 'string';
  }
}
