import { isJsonObject, setOwnEntry } from '../json/own-entry.ts';
import { scalarForms } from './canonical-scalar.ts';
import type { Field, Schema, StructSchema } from './schema.ts';

/** Whether a field is written to JSON even when it is unset. */
export function isAlwaysWritten({ schema, pointer, omitEmpty, omitZero }: Field): boolean {
  if (omitZero) return false;
  if (!omitEmpty) return true;
  if (pointer || schema.kind === 'list' || schema.kind === 'map') return false;
  return schema.kind === 'struct' || schema.kind === 'schemaOr' || scalarForms[schema.kind].isStruct;
}

const alwaysWritten = new WeakMap<StructSchema, readonly Field[]>();

/** Returns the fields of a struct that are written to JSON even when they are unset. */
export function alwaysWrittenFields(schema: StructSchema): readonly Field[] {
  const known = alwaysWritten.get(schema);
  if (known) return known;
  const fields = [...schema.fields.values()].filter(isAlwaysWritten);
  alwaysWritten.set(schema, fields);
  return fields;
}

/** Returns the JSON of a type's zero value. An object is new each time. */
export function zeroValueOf(schema: Schema): unknown {
  switch (schema.kind) {
    case 'struct': {
      const zero: Record<string, unknown> = {};
      for (const field of alwaysWrittenFields(schema)) setOwnEntry(zero, field.name, unsetValueOf(field));
      return zero;
    }
    case 'list':
    case 'map':
      return null;
    case 'schemaOr':
      return schema.alternative === 'bool' ? false : null;
    default:
      return scalarForms[schema.kind].zero;
  }
}

/** Returns the JSON of an unset field that is always written. */
export const unsetValueOf = ({ pointer, schema }: Field): unknown => (pointer ? null : zeroValueOf(schema));

function hasKeys(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

/** Whether `omitempty` omits the value of a field that is not a pointer. */
export function isEmptyValue(schema: Schema, value: unknown): boolean {
  switch (schema.kind) {
    case 'list':
      return Array.isArray(value) && value.length === 0;
    case 'map':
      return isJsonObject(value) && !hasKeys(value);
    case 'struct':
    case 'schemaOr':
      return false;
    default: {
      const { isStruct, zero } = scalarForms[schema.kind];
      return !isStruct && (value === zero || value === '');
    }
  }
}
