import type { Field, Schema, StructSchema } from '@coxswain/apimachinery/schema';

/* The messages of pprof's `profile.proto`, as far as they are used. All strings are indices into one string table. */

const int64: Schema = { kind: 'int64' };
const bool: Schema = { kind: 'bool' };
const listOf = (items: Schema): Schema => ({ kind: 'list', items, listType: 'atomic', mapKeys: [] });

/** Declares a message: field names as in `profile.proto`, each with its number and schema. */
function message(name: string, members: Readonly<Record<string, readonly [number: number, schema: Schema]>>) {
  const declared = Object.entries(members).map(
    ([field, [number, schema]]): Field => ({
      name: field,
      number,
      schema,
      pointer: false,
      omitEmpty: false,
      omitZero: false,
      inline: false,
      required: false,
      patchStrategy: [],
    }),
  );
  const fields = new Map(declared.map((field) => [field.name, field]));
  return { kind: 'struct', name, fullName: `pprof.${name}`, declared, fields, atomic: false } satisfies StructSchema;
}

const valueType = message('ValueType', { type: [1, int64], unit: [2, int64] });
const sample = message('Sample', { location_id: [1, listOf(int64)], value: [2, listOf(int64)] });
const mapping = message('Mapping', {
  id: [1, int64],
  filename: [5, int64],
  has_functions: [7, bool],
  has_filenames: [8, bool],
  has_line_numbers: [9, bool],
});
const line = message('Line', { function_id: [1, int64], line: [2, int64] });
const location = message('Location', { id: [1, int64], mapping_id: [2, int64], line: [4, listOf(line)] });
const callable = message('Function', {
  id: [1, int64],
  name: [2, int64],
  system_name: [3, int64],
  filename: [4, int64],
  start_line: [5, int64],
});

export const profileSchema: StructSchema = message('Profile', {
  sample_type: [1, listOf(valueType)],
  sample: [2, listOf(sample)],
  mapping: [3, listOf(mapping)],
  location: [4, listOf(location)],
  function: [5, listOf(callable)],
  string_table: [6, listOf({ kind: 'string' })],
  time_nanos: [9, int64],
  duration_nanos: [10, int64],
  period_type: [11, valueType],
  period: [12, int64],
});
