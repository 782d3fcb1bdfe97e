import { jsonEquals } from '../../json/equals.ts';
import { isJsonObject, setOwnEntry } from '../../json/own-entry.ts';
import type { Field, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.ts';
import { alwaysWrittenFields, isEmptyValue, unsetValueOf, zeroValueOf } from '../../schema/zero-value.ts';
import { type Decoding, endOf, type JsonObject, MessageDecoder, type ReadField, readValue } from './message-decoder.ts';
import { type ProtoReader, wire } from './reader.ts';
import { scalarDecodings } from './scalar-decodings.ts';

/** Reads a struct into an object, which may hold fields of it already: protobuf merges a message that is there twice. */
type ReadStruct = (reader: ProtoReader, end: number, target: JsonObject) => void;

const readers = new WeakMap<StructSchema, { readonly fields: MessageDecoder; readonly read: ReadStruct }>();

/**
 * Compiles what reads a struct from upstream's protobuf, straight to the normalised form. The reader throws DecodeError
 * for anything that is no message of this type; fields that the type does not know are skipped. Cheap to call again: a
 * type is compiled once.
 */
export const compileDecoder = (schema: StructSchema): ReadStruct => compileStruct(schema).read;

function compileStruct(schema: StructSchema): { readonly fields: MessageDecoder; readonly read: ReadStruct } {
  const known = readers.get(schema);
  if (known) return known;
  const fields = new MessageDecoder(schema.name);
  const always = alwaysWrittenFields(schema);
  const read: ReadStruct = (reader, end, target) => {
    fields.read(reader, end, target);
    for (let i = 0; i < always.length; i++) {
      const field = always[i]!;
      if (target[field.name] === undefined) target[field.name] = unsetValueOf(field);
    }
  };
  const compiled = { fields, read };
  // Types refer to themselves, so this one must be known before its fields are compiled.
  readers.set(schema, compiled);
  for (const field of schema.declared) if (field.number > 0) fields.add(field.number, compileField(field));
  return compiled;
}

function compileField(field: Field): ReadField {
  const { name, schema } = field;
  if (schema.kind === 'struct') return field.inline ? inlinedStruct(schema, name) : structField(field, schema);
  if (schema.kind === 'list' && !schema.wrapped) return repeatedField(name, schema.items);
  if (schema.kind === 'map') return mapField(name, schema.values);
  const decoding = decodingOf(schema);
  const dropEmpty = field.omitEmpty && !field.pointer;
  const dropZero = field.omitZero && !field.pointer;
  if (!dropEmpty && !dropZero) {
    return (reader, end, wireType, target) => {
      target[name] = readValue(decoding, reader, end, wireType, name);
    };
  }
  return (reader, end, wireType, target) => {
    const value = readValue(decoding, reader, end, wireType, name);
    if (dropEmpty && isEmptyValue(schema, value)) return;
    if (dropZero && jsonEquals(value, zeroValueOf(schema))) return;
    target[name] = value;
  };
}

const inlinedStruct = (schema: StructSchema, name: string): ReadField => {
  const { fields } = compileStruct(schema);
  return (reader, end, wireType, target) => fields.read(reader, endOf(reader, end, wireType, name), target);
};

function structField({ name, pointer, omitZero }: Field, schema: StructSchema): ReadField {
  const { read } = compileStruct(schema);
  return (reader, end, wireType, target) => {
    const valueEnd = endOf(reader, end, wireType, name);
    if (reader.depth === 1) reader.window(reader.at, valueEnd);
    const present = target[name];
    const value = isJsonObject(present) ? present : {};
    read(reader, valueEnd, value);
    if (omitZero && !pointer && jsonEquals(value, zeroValueOf(schema))) return;
    target[name] = value;
  };
}

function repeatedField(name: string, items: Schema): ReadField {
  const decoding = decodingOf(items);
  return (reader, end, wireType, target) => {
    const present = target[name];
    const list: unknown[] = Array.isArray(present) ? present : [];
    if (list !== present) target[name] = list;
    if (wireType === wire.bytes && decoding.wireType !== wire.bytes) {
      // Numbers may come packed, although upstream does not write them so.
      const packedEnd = reader.lengthDelimited(end);
      while (reader.at < packedEnd) list.push(decoding.read(reader, packedEnd));
      return;
    }
    if (items.kind === 'struct' && reader.depth === 1) {
      const valueEnd = endOf(reader, end, wireType, name);
      reader.window(reader.at, valueEnd);
      list.push(decoding.read(reader, valueEnd));
    } else {
      list.push(readValue(decoding, reader, end, wireType, name));
    }
  };
}

function mapField(name: string, values: Schema): ReadField {
  const entry = new MessageDecoder(name)
    .addValue(1, 'key', scalarDecodings.string)
    .addValue(2, 'value', decodingOf(values));
  // What an entry without a value stands for: upstream begins with an empty value, not with none.
  const missing = (): unknown => (values.kind === 'bytes' ? '' : values.kind === 'list' ? [] : zeroValueOf(values));
  return (reader, end, wireType, target) => {
    const present = target[name];
    const map: JsonObject = isJsonObject(present) ? present : {};
    if (map !== present) target[name] = map;
    const { key = '', value = missing() }: JsonObject = readEntry(entry, reader, endOf(reader, end, wireType, name));
    setOwnEntry(map, String(key), value);
  };
}

function readEntry(entry: MessageDecoder, reader: ProtoReader, end: number): JsonObject {
  const fields: JsonObject = {};
  entry.read(reader, end, fields);
  return fields;
}

function decodingOf(schema: Schema): Decoding {
  switch (schema.kind) {
    case 'struct': {
      const { read } = compileStruct(schema);
      return {
        wireType: wire.bytes,
        read: (reader, end) => {
          const value: JsonObject = {};
          read(reader, end, value);
          return value;
        },
      };
    }
    case 'list': {
      const items = new MessageDecoder('items').add(1, repeatedField('items', schema.items));
      return {
        wireType: wire.bytes,
        read: (reader, end) => {
          const { items: list = [] } = readEntry(items, reader, end);
          return list;
        },
      };
    }
    case 'map':
      throw new Error('a map has no encoding but as a field of a message');
    case 'schemaOr':
      return schemaOrDecoding(schema);
    default:
      return scalarDecodings[schema.kind];
  }
}

function schemaOrDecoding({ alternative, schema }: SchemaOrSchema): Decoding {
  const fields = new MessageDecoder('JSONSchemaPropsOr');
  const nested = decodingOf(schema);
  if (alternative === 'bool') fields.addValue(1, 'allows', scalarDecodings.bool).addValue(2, 'schema', nested);
  else {
    const items: Schema = alternative === 'array' ? schema : { kind: 'string' };
    fields.addValue(1, 'schema', nested).add(2, repeatedField('list', items));
  }
  return {
    wireType: wire.bytes,
    read: (reader, end) => {
      const { allows = alternative === 'bool' ? false : null, schema: value, list } = readEntry(fields, reader, end);
      return list ?? value ?? allows;
    },
  };
}
