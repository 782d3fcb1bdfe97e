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
import { type Decoding, type JsonObject, MessageDecoder, type ReadInto } from './message-decoder.ts';
import { type ProtoReader, wire } from './reader.ts';
import { scalarDecodings } from './scalar-decodings.ts';

const readers = new WeakMap<StructSchema, ReadInto>();

/**
 * Compiles a function that decodes a struct from upstream's protobuf, directly to the normalised form. The function throws DecodeError
 * for bytes that are not a message of this type; unknown fields are skipped. A type is compiled only once.
 */
export function compileDecoder(schema: StructSchema): ReadInto {
  const known = readers.get(schema);
  if (known) return known;
  const fields = new MessageDecoder(schema.name);
  const always = alwaysWrittenFields(schema);
  const bits = new RequiredBits();
  let complete = 0;
  const read: ReadInto = (reader, end, target) => {
    // Upstream writes every field that is not nil, so usually nothing is missing.
    if (fields.read(reader, end, target) === complete) return;
    for (const field of always) if (target[field.name] === undefined) target[field.name] = unsetValueOf(field);
  };
  // Types can be recursive: the decoder must be registered before the fields are compiled.
  readers.set(schema, read);
  for (const field of schema.declared) {
    const bit = isRequired(field) ? bits.next() : 0;
    if (field.number > 0) addField(fields, field, bit);
  }
  complete = bits.all;
  return read;
}

/** Whether the field must be filled in when it is not on the wire. Some fields never are. */
const isRequired = (field: Field): boolean =>
  field.inline && field.schema.kind === 'struct'
    ? alwaysWrittenFields(field.schema).length > 0
    : isAlwaysWritten(field);

/** Assigns a bit to each required field. */
class RequiredBits {
  #count = 0;

  next(): number {
    return this.#count++ < 31 ? 1 << (this.#count - 1) : 0;
  }

  /** All bits; -1, which never matches, when there were more than 31 fields. */
  get all(): number {
    return this.#count <= 31 ? 2 ** this.#count - 1 : -1;
  }
}

function addField(message: MessageDecoder, field: Field, bit: number): void {
  const { name, number, schema, pointer, omitEmpty, omitZero } = field;
  const key = propertyKey(name);
  if (schema.kind === 'string' || schema.kind === 'bool' || schema.kind === 'int32' || schema.kind === 'int64') {
    const dropped = (omitEmpty || omitZero) && !pointer ? zeroValueOf(schema) : undefined;
    message.add(number, name, { kind: schema.kind, dropped }, bit);
  } else if (schema.kind === 'list' && !schema.wrapped) {
    message.add(number, name, { kind: 'repeated', items: decodingOf(schema.items) }, bit);
  } else if (schema.kind === 'map') {
    message.add(number, name, { kind: 'custom', read: mapField(key, schema.values) }, bit);
  } else if (schema.kind !== 'struct') {
    message.add(number, name, { kind: 'value', decoding: decodingOf(schema), isDropped: dropping(field) }, bit);
  } else if (field.inline) {
    message.add(number, name, { kind: 'custom', read: compileDecoder(schema) }, bit);
  } else if (omitZero && !pointer) {
    message.add(number, name, { kind: 'custom', read: omitZeroField(key, schema) }, bit);
  } else {
    message.add(number, name, { kind: 'message', read: compileDecoder(schema) }, bit);
  }
}

/** Returns a predicate of the values that are left out of a field; undefined when none is. */
function dropping({ schema, pointer, omitEmpty, omitZero }: Field): ((value: unknown) => boolean) | undefined {
  if (pointer || !(omitEmpty || omitZero)) return undefined;
  return (value) => (omitEmpty && isEmptyValue(schema, value)) || (omitZero && jsonEquals(value, zeroValueOf(schema)));
}

function omitZeroField(name: string, schema: StructSchema): ReadInto {
  const read = compileDecoder(schema);
  return (reader, end, target) => {
    const present = target[name];
    const value = isJsonObject(present) ? present : {};
    read(reader, end, value);
    if (!jsonEquals(value, zeroValueOf(schema))) target[name] = value;
  };
}

function mapField(name: string, values: Schema): ReadInto {
  const entry = new MessageDecoder(name).add(1, 'key', { kind: 'string' });
  if (values.kind === 'string') entry.add(2, 'value', { kind: 'string' });
  else entry.addValue(2, 'value', decodingOf(values));
  // The value of an entry without one: upstream starts from an empty value, not from nil.
  const missing = (): unknown => (values.kind === 'bytes' ? '' : values.kind === 'list' ? [] : zeroValueOf(values));
  return (reader, end, target) => {
    const present = target[name];
    const map: JsonObject = isJsonObject(present) ? present : {};
    if (map !== present) target[name] = map;
    const { key = '', value = missing() }: JsonObject = readEntry(entry, reader, end);
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
      const items = new MessageDecoder('items').add(1, 'items', { kind: 'repeated', items: decodingOf(schema.items) });
      return {
        wireType: wire.bytes,
        read: (reader, end) => {
          const { items: list = [] } = readEntry(items, reader, end);
          return list;
        },
      };
    }
    case 'map':
      throw new Error('a map can only be decoded as a field of a message');
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
    fields.addValue(1, 'schema', nested).add(2, 'list', { kind: 'repeated', items: decodingOf(items) });
  }
  return {
    wireType: wire.bytes,
    read: (reader, end) => {
      const { allows = alternative === 'bool' ? false : null, schema: value, list } = readEntry(fields, reader, end);
      return list ?? value ?? allows;
    },
  };
}
