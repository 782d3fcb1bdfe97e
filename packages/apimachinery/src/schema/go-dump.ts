import { compareStrings } from '../json/go-value.ts';
import { isJsonObject } from '../json/own-entry.ts';
import { scalarDump } from './go-dump-scalar.ts';
import { goTypeOf } from './go-type.ts';
import type { Field, Schema, StructSchema } from './schema.ts';

/** Prints a value without its type. `undefined` and `null` are printed as Go's zero value. */
type Dump = (value: unknown) => string;
/** Prints a field of the given object, with its name and type. */
type FieldDump = (object: Record<string, unknown>) => string;

const nil = '<nil>';

/**
 * Compiles a function that prints an object as upstream does before hashing it (`ForHash` of k8s.io/utils/dump: `%#v` of
 * the library spew): with the type and the name of every field, set or not.
 *
 *     (v1.KeyToPath){Key:(string)a Path:(string)b Mode:(*int32)<nil>}
 *
 * It is the form of objects that were decoded from protobuf, as in upstream's components: empty lists and maps are nil.
 * Printing throws for types that no pod template has: kinds with a TypeMeta, arbitrary JSON, floating-point numbers. Types
 * are compiled at their first use: most templates use few of the possible types.
 */
export function compileGoDump(schema: StructSchema): (object: object) => string {
  const dump = structDump(schema);
  const type = goTypeOf(schema, schema);
  return (object) => `(${type})${dump(object)}`;
}

function structDump(schema: StructSchema): Dump {
  let fields: readonly FieldDump[] | undefined;
  return (value) => {
    const object = isJsonObject(value) ? value : {};
    fields ??= schema.declared.map((field) => fieldDump(field, schema));
    return `{${fields.map((dump) => dump(object)).join(' ')}}`;
  };
}

function fieldDump({ name, goName, number, schema, pointer, inline }: Field, owner: StructSchema): FieldDump {
  if (number === 0) throw new Error(`${owner.fullName} cannot be printed: ${name} is not on the protobuf wire`);
  const dump = dumpOf(schema);
  const label = `${goName ?? name[0]!.toUpperCase() + name.slice(1)}:(${pointer ? '*' : ''}${goTypeOf(schema, owner)})`;
  if (inline) return (object) => label + dump(object);
  return (object) => {
    const value = object[name];
    return label + (pointer && (value === undefined || value === null) ? nil : dump(value));
  };
}

function dumpOf(schema: Schema): Dump {
  switch (schema.kind) {
    case 'struct':
      return structDump(schema);
    case 'list':
      return listDump(dumpOf(schema.items));
    case 'map':
      return mapDump(dumpOf(schema.values));
    case 'schemaOr':
      throw new Error('JSON schemas cannot be printed');
    default:
      return scalarDump(schema.kind);
  }
}

const listDump =
  (dump: Dump): Dump =>
  (value) =>
    Array.isArray(value) && value.length > 0 ? `[${value.map(dump).join(' ')}]` : nil;

const mapDump =
  (dump: Dump): Dump =>
  (value) => {
    if (!isJsonObject(value)) return nil;
    const keys = Object.keys(value).sort(compareStrings);
    return keys.length === 0 ? nil : `map[${keys.map((key) => `${key}:${dump(value[key])}`).join(' ')}]`;
  };
