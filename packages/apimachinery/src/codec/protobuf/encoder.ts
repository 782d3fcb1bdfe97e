import { isJsonObject } from '../../json/own-entry.ts';
import { stringifyJson } from '../../json/stringify-json.ts';
import { propertyKey } from '../../schema/property-key.ts';
import type { Field, ScalarKind, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.ts';
import { parseDuration, parseMicroTime } from '../../time/index.ts';
import { wire } from './reader.ts';
import { secondsOfTime } from './timestamp.ts';
import type { ProtoWriter } from './writer.ts';

/** Writes a value in front of the bytes written before. The tag is not included; the length of length-delimited values is. */
type WriteValue = (writer: ProtoWriter, value: unknown) => void;

interface Encoding {
  readonly wireType: number;
  readonly write: WriteValue;
}

/** Writes the content of a message in front of the bytes written before. */
type WriteMessage = (writer: ProtoWriter, value: Record<string, unknown>) => void;

/** Thrown when a value does not fit the schema: it was not normalised, which is a bug of the caller. */
class UnfitValue extends Error {
  override readonly name = 'UnfitValue';

  constructor(kind: string, value: unknown) {
    super(`cannot encode ${typeof value} as ${kind}`);
  }
}

const tagOf = (number: number, wireType: number): number => number * 8 + wireType;

/** Tags, by field number and wire type, of the messages that represent scalars. */
const tag1Varint = tagOf(1, wire.varint);
const tag2Varint = tagOf(2, wire.varint);
const tag1Bytes = tagOf(1, wire.bytes);
const tag2Bytes = tagOf(2, wire.bytes);
const tag3Bytes = tagOf(3, wire.bytes);
const tag4Bytes = tagOf(4, wire.bytes);

const lengthPrefixed =
  (write: WriteValue): WriteValue =>
  (writer, value) => {
    const before = writer.length;
    write(writer, value);
    writer.varint(writer.length - before);
  };

const message = (write: WriteValue): Encoding => ({ wireType: wire.bytes, write: lengthPrefixed(write) });

const textOf = (kind: ScalarKind, value: unknown): string => {
  if (typeof value !== 'string') throw new UnfitValue(kind, value);
  return value;
};

const integerOf = (kind: ScalarKind, value: unknown): number | bigint => {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new UnfitValue(kind, value);
  return value;
};

/** Upstream encodes the zero time as an empty message. */
const timestamp = (kind: 'time' | 'microTime'): Encoding =>
  message((writer, value) => {
    if (value === null || value === undefined) return;
    const text = textOf(kind, value);
    const { seconds, nanos } = kind === 'microTime' ? parseMicroTime(text) : { seconds: secondsOfTime(text), nanos: 0 };
    writer.int(nanos);
    writer.byte(tag2Varint);
    writer.int(seconds);
    writer.byte(tag1Varint);
  });

/** JSON within protobuf is not HTML-escaped: upstream keeps the author's text, and the author usually is not a Go program. */
const rawJson = (value: unknown): string => stringifyJson(value, { escapeHtml: false });

/** JSON text as the only field of a message. The message is empty when there is no value. */
const jsonText: Encoding = message((writer, value) => {
  if (value === null || value === undefined) return;
  writer.string(rawJson(value));
  writer.byte(tag1Bytes);
});

const unknownObject: Encoding = message((writer, value) => {
  writer.string('application/json');
  writer.byte(tag4Bytes);
  writer.string('');
  writer.byte(tag3Bytes);
  writer.string(rawJson(value));
  writer.byte(tag2Bytes);
  // A TypeMeta whose two strings are empty.
  writer.raw(new Uint8Array([tag1Bytes, 4, tag1Bytes, 0, tag2Bytes, 0]));
});

const scalarEncodings: Readonly<Record<ScalarKind, Encoding>> = {
  string: { wireType: wire.bytes, write: (writer, value) => writer.string(textOf('string', value ?? '')) },
  bytes: { wireType: wire.bytes, write: (writer, value) => writer.base64(textOf('bytes', value ?? '')) },
  bool: { wireType: wire.varint, write: (writer, value) => writer.byte(value === true ? 1 : 0) },
  int32: { wireType: wire.varint, write: (writer, value) => writer.int(integerOf('int32', value ?? 0)) },
  int64: { wireType: wire.varint, write: (writer, value) => writer.int(integerOf('int64', value ?? 0)) },
  double: { wireType: wire.fixed64, write: (writer, value) => writer.double(Number(integerOf('double', value ?? 0))) },
  quantity: message((writer, value) => {
    writer.string(textOf('quantity', value ?? '0'));
    writer.byte(tag1Bytes);
  }),
  intOrString: message((writer, value) => {
    const isText = typeof value === 'string';
    writer.string(isText ? value : '');
    writer.byte(tag3Bytes);
    writer.int(isText ? 0 : integerOf('intOrString', value ?? 0));
    writer.byte(tag2Varint);
    writer.byte(isText ? 1 : 0);
    writer.byte(tag1Varint);
  }),
  time: timestamp('time'),
  microTime: timestamp('microTime'),
  duration: message((writer, value) => {
    writer.int(parseDuration(textOf('duration', value ?? '0s')));
    writer.byte(tag1Varint);
  }),
  any: jsonText,
  rawObject: jsonText,
  fieldsV1: jsonText,
  unknownObject,
};

interface FieldEncoder {
  readonly name: string;
  /** The field is omitted when it has no value. Other fields are always written, even if zero. */
  readonly optional: boolean;
  /** The struct's fields are properties of the parent, which is passed to `write`. */
  readonly inline: boolean;
  /** The field is a string, as most are: it is written in place, without a call of `write`. */
  readonly isString: boolean;
  readonly tag: number;
  /** Writes the field, tags included, in front of the bytes written before. */
  readonly write: WriteValue;
}

function fieldEncoder({ name, number, schema, pointer, inline }: Field): FieldEncoder {
  // In Go, slices and maps can be nil.
  const optional = pointer || schema.kind === 'bytes' || schema.kind === 'list' || schema.kind === 'map';
  const isString = schema.kind === 'string';
  return { name, optional, inline, isString, tag: tagOf(number, wire.bytes), write: fieldWriter(number, schema) };
}

function fieldWriter(number: number, schema: Schema): WriteValue {
  if (schema.kind === 'list' && !schema.wrapped) return repeatedField(number, schema.items);
  if (schema.kind === 'map') return mapField(number, schema.values);
  const { wireType, write } = encodingOf(schema);
  const fieldTag = tagOf(number, wireType);
  return (writer, value) => {
    write(writer, value);
    writer.varint(fieldTag);
  };
}

function repeatedField(number: number, items: Schema): WriteValue {
  const { wireType, write } = encodingOf(items);
  const fieldTag = tagOf(number, wireType);
  return (writer, value) => {
    if (!Array.isArray(value)) return;
    for (let i = value.length - 1; i >= 0; i--) {
      write(writer, value[i]);
      writer.varint(fieldTag);
    }
  };
}

function mapField(number: number, values: Schema): WriteValue {
  const writeValue = fieldWriter(2, values);
  const fieldTag = tagOf(number, wire.bytes);
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    const keys = Object.keys(value);
    if (keys.length > 1) sortByBytes(keys);
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i]!;
      const item = value[key];
      const before = writer.length;
      if (values.kind !== 'bytes' || item !== null) writeValue(writer, item);
      writer.string(key);
      writer.byte(tag1Bytes);
      writer.varint(writer.length - before);
      writer.varint(fieldTag);
    }
  };
}

/** Sorts in Go's order. The keys of objects written by upstream are sorted already. */
function sortByBytes(keys: string[]): void {
  for (let i = 1; i < keys.length; i++) {
    if (compareUtf8(keys[i - 1]!, keys[i]!) > 0) {
      keys.sort(compareUtf8);
      return;
    }
  }
}

/** Compares by UTF-8 bytes, which is the order of code points. JavaScript compares UTF-16 code units. */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    // Surrogates stand for code points above all other code units.
    if (x !== y) return (isSurrogate(x) ? x + 0x10000 : x) - (isSurrogate(y) ? y + 0x10000 : y);
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => (unit & 0xf800) === 0xd800;

function encodingOf(schema: Schema): Encoding {
  switch (schema.kind) {
    case 'struct':
      return structEncoding(schema);
    case 'list':
      return message(repeatedField(1, schema.items));
    case 'map':
      throw new Error('a map can only be encoded as a field of a message');
    case 'schemaOr':
      return schemaOrEncoding(schema);
    default:
      return scalarEncodings[schema.kind];
  }
}

function structEncoding(schema: StructSchema): Encoding {
  // Types can be recursive, and most are never used: a struct is compiled at its first use.
  let writeStruct: WriteMessage | undefined;
  return {
    wireType: wire.bytes,
    write: (writer, value) => {
      writeStruct ??= compileEncoder(schema);
      const before = writer.length;
      writeStruct(writer, isJsonObject(value) ? value : {});
      writer.varint(writer.length - before);
    },
  };
}

function schemaOrEncoding({ alternative, schema }: SchemaOrSchema): Encoding {
  const { write } = structEncoding(schema);
  const writeList = repeatedField(2, alternative === 'array' ? schema : { kind: 'string' });
  return message((writer, value) => {
    if (Array.isArray(value)) writeList(writer, value);
    else if (isJsonObject(value)) {
      write(writer, value);
      writer.byte(alternative === 'bool' ? tag2Bytes : tag1Bytes);
    }
    if (alternative === 'bool') {
      writer.byte(value === false || value === null || value === undefined ? 0 : 1);
      writer.byte(tag1Varint);
    }
  });
}

const encoders = new WeakMap<StructSchema, WriteMessage>();

/**
 * Compiles a function that encodes a struct as upstream encodes its Go type, byte for byte. The struct must be normalised; the function
 * throws when it does not fit the schema. A type is compiled only once.
 */
export function compileEncoder(schema: StructSchema): WriteMessage {
  const known = encoders.get(schema);
  if (known) return known;
  const fields = schema.declared
    .filter((field) => field.number > 0)
    .sort((a, b) => b.number - a.number)
    .map(fieldEncoder);
  const names = fields.map(({ name }) => propertyKey(name));
  const positions = new Map(names.map((name, position) => [name, position]));
  // For each field, the field that followed it in the last object. The last element is the field that came first. This guess saves most
  // lookups.
  const following = new Uint16Array(fields.length + 1);
  // Looking up the object's keys in the type is far cheaper than the reverse: most types have many more fields than objects set.
  const encoder: WriteMessage = (writer, object) => {
    const values = new Array<unknown>(fields.length);
    let previous = fields.length;
    for (const key in object) {
      let position: number | undefined = following[previous]!;
      if (names[position] !== key) {
        position = positions.get(key);
        if (position === undefined) continue;
        following[previous] = position;
      }
      previous = position;
      values[position] = object[key];
    }
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      const value = values[i];
      if (value === undefined || value === null) {
        if (field.inline) field.write(writer, object);
        else if (field.isString && !field.optional) {
          writer.byte(0);
          writer.varint(field.tag);
        } else if (!field.optional) field.write(writer, value);
      } else if (field.isString && typeof value === 'string') {
        writer.string(value);
        writer.varint(field.tag);
      } else {
        field.write(writer, value);
      }
    }
  };
  encoders.set(schema, encoder);
  return encoder;
}
