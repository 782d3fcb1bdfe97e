import type { Field, ScalarKind, StructSchema } from '../schema/schema.ts';

/** What upstream writes for the zero value of a Go type that is no pointer. */
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

/** Go structs to `omitempty`, which leaves out no struct. */
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
 * The JSON of a new Go object of that type, in which nobody has set anything: what a created object is compared
 * with. The fields that are always there belong to nobody.
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
