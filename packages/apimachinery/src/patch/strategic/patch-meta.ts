import type { ScalarKind, Schema } from '../../schema/schema.ts';
import { quote } from '../../strconv/quote.ts';
import { PatchError } from '../patch-error.ts';

/** A type inside an object. Upstream's messages distinguish a pointer to a struct from a struct. */
export interface PatchType {
  readonly schema: Schema;
  readonly pointer: boolean;
}

/** How the schema says to merge one field. */
export interface PatchField {
  /** The field's type, or that of its items when it was looked up as a list. */
  readonly type: PatchType;
  readonly retainKeys: boolean;
  /** `merge`, `replace`, or empty: then objects are merged and lists are replaced. */
  readonly strategy: string;
  /** Empty when the field has none. */
  readonly mergeKey: string;
}

/** Scalars that are structs in Go. None of them has fields that JSON could name. */
const goStructs: Partial<Record<ScalarKind, string>> = {
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  time: 'Time',
  microTime: 'MicroTime',
  duration: 'Duration',
  any: 'JSON',
  rawObject: 'RawExtension',
  unknownObject: 'Unknown',
  fieldsV1: 'FieldsV1',
};

const alternatives = {
  bool: 'JSONSchemaPropsOrBool',
  array: 'JSONSchemaPropsOrArray',
  stringArray: 'JSONSchemaPropsOrStringArray',
};

/** Returns the name of the Go struct; undefined when the type is not a struct. */
function structName(schema: Schema): string | undefined {
  switch (schema.kind) {
    case 'struct':
      return schema.name;
    case 'schemaOr':
      return alternatives[schema.alternative];
    case 'list':
    case 'map':
      return undefined;
    default:
      return goStructs[schema.kind];
  }
}

/** Returns Go's reflect.Kind of the type. */
export function goKind({ schema, pointer }: PatchType): string {
  if (pointer) return 'ptr';
  if (structName(schema) !== undefined) return 'struct';
  if (schema.kind === 'list' || schema.kind === 'bytes') return 'slice';
  return schema.kind === 'double' ? 'float64' : schema.kind;
}

/**
 * Returns how to merge a key whose value is an object. Throws PatchError when the schema has no such field. The entries of a map are not
 * fields, so two objects inside a map cannot be merged.
 */
export function lookupMapField(type: PatchType, key: string): PatchField {
  const name = structName(type.schema);
  if (name === undefined) {
    const kind = goKind({ ...type, pointer: false });
    throw new PatchError(`merging an object in json but data type is not struct, instead is: ${kind}`);
  }
  const field = type.schema.kind === 'struct' ? findField(type.schema.fields, key) : undefined;
  if (!field) throw new PatchError(`unable to find api field in struct ${name} for the json field ${quote(key)}`);
  const others = field.patchStrategy.filter((strategy) => strategy !== 'retainKeys');
  if (others.length > 1) throw new PatchError(`unexpected patch strategy: [${field.patchStrategy.join(' ')}]`);
  return {
    type: { schema: field.schema, pointer: field.pointer },
    retainKeys: others.length < field.patchStrategy.length,
    strategy: others[0] ?? '',
    mergeKey: field.mergeKey ?? '',
  };
}

/** Returns how to merge a key whose value is a list. Throws PatchError when the schema has no such field, or the field is not a list. */
export function lookupListField(type: PatchType, key: string): PatchField {
  const field = lookupMapField(type, key);
  const { schema, pointer } = field.type;
  if (schema.kind === 'list') {
    if (schema.items.kind === 'list' || schema.items.kind === 'bytes')
      throw new PatchError('unexpected slice of slice');
    return { ...field, type: { schema: schema.items, pointer: false } };
  }
  if (pointer) return { ...field, type: { schema, pointer: false } };
  if (schema.kind === 'bytes') return field;
  throw new PatchError(`expected slice or array type, but got: ${goKind(type)}`);
}

/** Finds a field by name. Like Go's decoder, and so upstream's lookup, it falls back to the first field that differs only in case. */
function findField<T>(fields: ReadonlyMap<string, T>, key: string): T | undefined {
  const exact = fields.get(key);
  if (exact !== undefined) return exact;
  const folded = key.toLowerCase();
  for (const [name, field] of fields) if (name.toLowerCase() === folded) return field;
  return undefined;
}
