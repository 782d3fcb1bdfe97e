import { jsonEquals } from '../../json/equals.ts';
import { isJsonObject, setOwnEntry } from '../../json/own-entry.ts';
import { propertyKey } from '../../schema/property-key.ts';
import type { Field, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.ts';
import {
  alwaysWrittenFields,
  isAlwaysWritten,
  isEmptyValue,
  unsetValueOf,
  zeroValueOf,
} from '../../schema/zero-value.ts';
import { type Decoding, endOf, type JsonObject, MessageDecoder, type ReadField, readValue } from './message-decoder.ts';
import { type ProtoReader, wire } from './reader.ts';
import { scalarDecodings } from './scalar-decodings.ts';

/** Reads a struct into an object, which may hold fields of it already: protobuf merges a message that is there twice. */
type ReadStruct = (reader: ProtoReader, end: number, target: JsonObject) => void;

const readers = new WeakMap<StructSchema, ReadStruct>();

/**
 * Compiles what reads a struct from upstream's protobuf, straight to the normalised form. The reader throws DecodeError
 * for anything that is no message of this type; fields that the type does not know are skipped. Cheap to call again: a
 * type is compiled once.
 */
export function compileDecoder(schema: StructSchema): ReadStruct {
  const known = readers.get(schema);
  if (known) return known;
  const fields = new MessageDecoder(schema.name);
  const always = alwaysWrittenFields(schema);
  const bits = new RequiredBits();
  let complete = 0;
  const read: ReadStruct = (reader, end, target) => {
    // Upstream writes whatever is not nil, so that there is nothing to add as a rule.
    if (fields.read(reader, end, target) === complete) return;
    for (const field of always) if (target[field.name] === undefined) target[field.name] = unsetValueOf(field);
  };
  // Types refer to themselves, so this one must be known before its fields are compiled.
  readers.set(schema, read);
  for (const field of schema.declared) {
    const bit = isRequired(field) ? bits.next() : 0;
    if (field.number > 0) addField(fields, field, bit);
  }
  complete = bits.all;
  return read;
}

/** Whether something has to be filled in when the field is not on the wire, which some never are. */
const isRequired = (field: Field): boolean =>
  field.inline && field.schema.kind === 'struct'
    ? alwaysWrittenFields(field.schema).length > 0
    : isAlwaysWritten(field);

/** Hands out a bit for each field that must be there. */
class RequiredBits {
  #count = 0;

  next(): number {
    return this.#count++ < 31 ? 1 << (this.#count - 1) : 0;
  }

  /** All bits; none that can be met when there were too many. */
  get all(): number {
    return this.#count <= 31 ? 2 ** this.#count - 1 : -1;
  }
}

function addField(message: MessageDecoder, field: Field, bit: number): void {
  const { name, number, schema, pointer, omitEmpty } = field;
  if (schema.kind === 'string' || schema.kind === 'bool' || schema.kind === 'int32') {
    message.addPlain(number, name, schema.kind, omitEmpty && !pointer ? zeroValueOf(schema) : undefined, bit);
  } else if (schema.kind === 'list' && !schema.wrapped) {
    message.addRepeated(number, name, decodingOf(schema.items), bit);
  } else {
    message.add(number, name, compileField(field), bit);
  }
}

function compileField(field: Field): ReadField {
  const { schema, pointer, omitEmpty, omitZero } = field;
  const name = propertyKey(field.name);
  if (schema.kind === 'struct') return structField({ ...field, name }, schema);
  if (schema.kind === 'map') return mapField(name, schema.values);
  const decoding = decodingOf(schema);
  return (reader, end, wireType, target) => {
    const value = readValue(decoding, reader, end, wireType, name);
    if (omitEmpty && !pointer && isEmptyValue(schema, value)) return;
    if (omitZero && !pointer && jsonEquals(value, zeroValueOf(schema))) return;
    target[name] = value;
  };
}

function structField({ name, pointer, omitZero, inline }: Field, schema: StructSchema): ReadField {
  const read = compileDecoder(schema);
  if (inline) return (reader, end, wireType, target) => read(reader, endOf(reader, end, wireType, name), target);
  return (reader, end, wireType, target) => {
    const valueEnd = endOf(reader, end, wireType, name);
    const present = target[name];
    const value = isJsonObject(present) ? present : {};
    read(reader, valueEnd, value);
    if (omitZero && !pointer && jsonEquals(value, zeroValueOf(schema))) return;
    target[name] = value;
  };
}

function mapField(name: string, values: Schema): ReadField {
  const entry = new MessageDecoder(name).addPlain(1, 'key', 'string');
  if (values.kind === 'string') entry.addPlain(2, 'value', 'string');
  else entry.addValue(2, 'value', decodingOf(values));
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
      const read = compileDecoder(schema);
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
      const items = new MessageDecoder('items').addRepeated(1, 'items', decodingOf(schema.items));
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
    fields.addValue(1, 'schema', nested).addRepeated(2, 'list', decodingOf(items));
  }
  return {
    wireType: wire.bytes,
    read: (reader, end) => {
      const { allows = alternative === 'bool' ? false : null, schema: value, list } = readEntry(fields, reader, end);
      return list ?? value ?? allows;
    },
  };
}
