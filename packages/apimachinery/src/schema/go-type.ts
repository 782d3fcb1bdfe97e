import type { ScalarKind, Schema, StructSchema } from './schema.ts';

/** The last part of the Go package of a struct: `v1` for `core.v1.PodSpec`. */
const packageOf = (struct: StructSchema): string => struct.fullName.split('.').at(-2) ?? '';

const named = (goName: string, owner: StructSchema): string =>
  goName.includes('.') ? goName : `${packageOf(owner)}.${goName}`;

const scalarTypes: Readonly<Record<ScalarKind | 'schemaOr', string>> = {
  string: 'string',
  bytes: '[]uint8',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  any: 'v1.JSON',
  rawObject: 'runtime.RawExtension',
  unknownObject: 'runtime.Unknown',
  fieldsV1: 'v1.FieldsV1',
  schemaOr: 'v1.JSONSchemaProps',
};

/** Returns the type of a value in a field of `owner` as Go prints it: `[]v1.Container`, `v1.RestartPolicy`, `int32`. */
export function goTypeOf(schema: Schema, owner: StructSchema): string {
  if (schema.kind === 'struct') return `${packageOf(schema)}.${schema.name}`;
  if (schema.kind !== 'schemaOr' && schema.goName) return named(schema.goName, owner);
  switch (schema.kind) {
    case 'list':
      return `[]${goTypeOf(schema.items, owner)}`;
    case 'map':
      return `map[string]${goTypeOf(schema.values, owner)}`;
    default:
      return scalarTypes[schema.kind];
  }
}
