import { isJsonObject } from '../json/own-entry.ts';
import { scalarForms, TypeMismatch } from './canonical-scalar.ts';
import { goTypeOf } from './go-type.ts';
import { NumberLiteral } from './number-literal.ts';
import type { ScalarSchema, Schema, StructSchema } from './schema.ts';

/**
 * Returns upstream's error for a document that it converts to its type member by member, as it does after a strategic merge patch;
 * undefined when there is none. Fields are visited in the order of the type, and the first error is returned.
 */
export function explainConversion(schema: StructSchema, value: unknown): string | undefined {
  return explain(schema, value, schema);
}

function explain(schema: Schema, value: unknown, owner: StructSchema): string | undefined {
  if (value === null || value === undefined) return undefined;
  const found = goKindOf(value);
  switch (schema.kind) {
    case 'struct':
      if (!isJsonObject(value) || found !== 'map') return `cannot restore struct from: ${found}`;
      return firstOf(schema.fields, ([name, field]) =>
        Object.hasOwn(value, name) ? explain(field.schema, value[name], schema) : undefined,
      );
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${found}`;
      return firstOf(value, (item) => explain(schema.items, item, owner));
    case 'map':
      if (!isJsonObject(value) || found !== 'map') return `cannot restore map from ${found}`;
      return firstOf(Object.values(value), (child) => explain(schema.values, child, owner));
    case 'schemaOr':
      return undefined;
    default:
      return explainScalar(schema, value, found, owner);
  }
}

function firstOf<T>(items: Iterable<T>, explainItem: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = explainItem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Go's names for the kinds of JSON values. */
type GoKind = 'map' | 'slice' | 'string' | 'bool' | 'int64' | 'float64';

function goKindOf(value: unknown): GoKind {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return 'int64';
  return typeof value === 'number' || value instanceof NumberLiteral ? 'float64' : 'map';
}

function explainScalar(schema: ScalarSchema, value: unknown, found: GoKind, owner: StructSchema): string | undefined {
  const { kind } = schema;
  const goType = goTypeOf(schema, owner);
  switch (kind) {
    case 'string':
      if (found === 'string') return undefined;
      // In Go a number can be converted to a character, and a fraction to a whole number; upstream refuses both with this message.
      return found === 'int64' ? `cannot convert int64 to ${goType}` : 'unrecognized type: string';
    case 'bool':
      return found === 'bool' ? undefined : 'unrecognized type: bool';
    case 'int32':
    case 'int64':
      if (found === 'float64' && !Number.isInteger(Number(value))) return `cannot convert float64 to ${goType}`;
      return found === 'float64' || found === 'int64' ? undefined : `unrecognized type: ${kind}`;
    case 'double':
      return found === 'float64' || found === 'int64' ? undefined : 'unrecognized type: float64';
    case 'bytes': {
      if (found !== 'string') return found === 'slice' ? undefined : `cannot restore slice from ${found}`;
      const problem = unreadable(kind, value, goType);
      return problem && `error decoding from json: ${problem}`;
    }
    default:
      return unreadable(kind, value, goType);
  }
}

/** Returns the error of a type that decodes its own JSON. */
function unreadable(kind: ScalarSchema['kind'], value: unknown, goType: string): string | undefined {
  try {
    scalarForms[kind].canonical(value);
    return undefined;
  } catch (error) {
    if (error instanceof TypeMismatch)
      return `json: cannot unmarshal ${error.found} into Go value of type ${error.goType ?? goType}`;
    return error instanceof Error ? error.message : String(error);
  }
}
