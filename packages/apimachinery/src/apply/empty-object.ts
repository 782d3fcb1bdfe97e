import type { Field, ScalarKind, StructSchema } from '../schema/schema.ts';

/** The JSON that Go writes for the zero value of each scalar kind when the field is not a pointer. */
const zeroScalars: Readonly<Record<ScalarKind, unknown>> = {
  string: '',
  bytes: null,
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  quantity: '0',
  intOrString: 0,
  time: null,
  microTime: null,
  duration: '0s',
  any: null,
  rawObject: null,
  unknownObject: null,
  fieldsV1: null,
};

/** The kinds that are structs in Go. `omitempty` never omits a struct. */
const structKinds: ReadonlySet<string> = new Set([
  'struct',
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'duration',
  'any',
  'rawObject',
  'unknownObject',
  'schemaOr',
]);

/**
 * Returns the JSON of a new, zero-valued Go object of that type. Created objects are compared with it: fields that are always present are
 * owned by no manager.
 */
export function emptyObject(schema: StructSchema): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, field] of schema.fields) if (!isLeftOut(field)) object[name] = zeroOf(field);
  return object;
}

function isLeftOut({ omitEmpty, omitZero, pointer, schema }: Field): boolean {
  return omitZero || (omitEmpty && (pointer || !structKinds.has(schema.kind)));
}

function zeroOf({ pointer, schema }: Field): unknown {
  if (pointer || schema.kind === 'list' || schema.kind === 'map' || schema.kind === 'schemaOr') return null;
  return schema.kind === 'struct' ? emptyObject(schema) : zeroScalars[schema.kind];
}
