import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { isJsonObject } from '../../json/own-entry.ts';
import { encodeBase64 } from '../../schema/base64.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { propertyKey } from '../../schema/property-key.ts';
import { generateAfter } from './code-generation.ts';
import { generateDecoder } from './generated-decoder.ts';
import { type ProtoReader, wire } from './reader.ts';

export type JsonObject = Record<string, unknown>;

/**
 * How a value is decoded. `end` is the end of the value if its wire type has a length, which was read already; otherwise it is the end of
 * the enclosing message.
 */
export interface Decoding {
  readonly wireType: number;
  readonly read: (reader: ProtoReader, end: number) => unknown;
}

/** Decodes the bytes before `end` into an object, which may hold a part of the message already. */
export type ReadInto = (reader: ProtoReader, end: number, target: JsonObject) => void;

/** Decodes the fields before `end` into an object. Returns the bits of the fields that were present. */
export type ReadFields = (reader: ProtoReader, end: number, target: JsonObject) => number;

/** Field numbers are looked up in an array, so they must be below this. Upstream's are. */
const maxNumber = 1024;

/** How a field is decoded. */
type FieldKind =
  /** Scalars, the kinds of most fields. A value equal to `dropped` is left out. */
  | { readonly kind: 'string' | 'bool' | 'int32' | 'int64'; readonly dropped?: unknown }
  /** A single value. Of several, the last one wins. */
  | {
      readonly kind: 'value';
      readonly decoding: Decoding;
      readonly isDropped?: ((value: unknown) => boolean) | undefined;
    }
  /** Several messages are merged; several items are appended. */
  | { readonly kind: 'message'; readonly read: ReadInto }
  | { readonly kind: 'repeated'; readonly items: Decoding }
  /** A length-delimited value whose reader sets the object's properties itself. */
  | { readonly kind: 'custom'; readonly read: ReadInto };

export type FieldDecoder = FieldKind & {
  readonly name: string;
  /** The bit of this field in the result of `read`. */
  readonly bit: number;
};

/** Decodes the fields of a message into an object. Fields that are not on the wire are not set. */
export class MessageDecoder {
  readonly #name: string;
  readonly #fields: (FieldDecoder | undefined)[] = [];
  /** The number of messages decoded without generated code. */
  #reads = 0;
  #generated: ReadFields | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * Adds a field. Throws when the number is out of range or the name is a property of Object.prototype, which no built-in type has. All
   * fields must be added before the first message is decoded.
   */
  add(number: number, name: string, field: FieldKind, bit = 0): this {
    if (number >= maxNumber) throw new Error(`${this.#name}: field number ${number} is out of range`);
    if (name in Object.prototype) throw new Error(`${this.#name}: ${name} is a property of every object`);
    this.#fields[number] = { ...field, name: propertyKey(name), bit };
    return this;
  }

  /** Adds a field that is neither repeated nor a map. */
  addValue(number: number, name: string, decoding: Decoding): this {
    return this.add(number, name, { kind: 'value', decoding });
  }

  /** Decodes a message. Returns the bits of the fields that were present. */
  read(reader: ProtoReader, end: number, target: JsonObject): number {
    if (++reader.depth > MAX_JSON_DEPTH) throw new DecodeError('proto: exceeded max depth');
    const found =
      this.#generated === undefined ? this.#readAll(reader, end, target) : this.#generated(reader, end, target);
    reader.depth--;
    return found;
  }

  #readAll(reader: ProtoReader, end: number, target: JsonObject): number {
    if (++this.#reads > generateAfter) {
      this.#generated = generateDecoder(this.#fields, (...field) => this.#readField(...field));
      return this.#generated(reader, end, target);
    }
    let found = 0;
    while (reader.at < end) found |= this.#readField(reader, end, reader.varint(end), target);
    return found;
  }

  /** Decodes one field, given its tag. Returns its bit. An unknown field is skipped. */
  #readField(reader: ProtoReader, end: number, tag: number, target: JsonObject): number {
    const field = tag < maxNumber * 8 ? this.#fields[tag >>> 3] : undefined;
    if (field === undefined) {
      this.#skip(reader, end, tag);
      return 0;
    }
    const { name } = field;
    const wireType = tag & 7;
    switch (field.kind) {
      case 'string': {
        if (wireType !== wire.bytes) throw wrongWireType(wireType, name);
        const value = reader.string(end);
        if (value !== field.dropped) target[name] = value;
        break;
      }
      case 'bool':
      case 'int32':
      case 'int64': {
        const value = readValue(plainDecodings[field.kind], reader, end, wireType, name);
        if (value !== field.dropped) target[name] = value;
        break;
      }
      case 'value': {
        const value = readValue(field.decoding, reader, end, wireType, name);
        if (!field.isDropped?.(value)) target[name] = value;
        break;
      }
      case 'message': {
        const present = target[name];
        const value = isJsonObject(present) ? present : {};
        field.read(reader, endOf(reader, end, wireType, name), value);
        target[name] = value;
        break;
      }
      case 'repeated':
        readItems(field.items, reader, end, wireType, name, listIn(target, name));
        break;
      case 'custom':
        field.read(reader, endOf(reader, end, wireType, name), target);
    }
    return field.bit;
  }

  #skip(reader: ProtoReader, end: number, tag: number): void {
    const wireType = tag % 8;
    const number = Math.floor(tag / 8);
    if (wireType === wire.endGroup) throw new DecodeError(`proto: ${this.#name}: wiretype end group for non-group`);
    if (number === 0) throw new DecodeError(`proto: ${this.#name}: illegal tag ${number} (wire type ${wireType})`);
    reader.skip(wireType, end);
  }
}

function listIn(target: JsonObject, name: string): unknown[] {
  const present = target[name];
  if (Array.isArray(present)) return present;
  const list: unknown[] = [];
  target[name] = list;
  return list;
}

function readItems(
  items: Decoding,
  reader: ProtoReader,
  end: number,
  wireType: number,
  name: string,
  list: unknown[],
): void {
  if (wireType === items.wireType) {
    list.push(items.read(reader, wireType === wire.bytes ? reader.lengthDelimited(end) : end));
  } else {
    // Numbers may be packed, although upstream does not pack them.
    const valueEnd = endOf(reader, end, wireType, name);
    while (reader.at < valueEnd) list.push(items.read(reader, valueEnd));
  }
}

/** Returns the end of a length-delimited value. Throws DecodeError when the value has another wire type. */
function endOf(reader: ProtoReader, end: number, wireType: number, name: string): number {
  if (wireType !== wire.bytes) throw wrongWireType(wireType, name);
  return reader.lengthDelimited(end);
}

/** Decodes a value after its tag. Throws DecodeError when it has another wire type. */
function readValue(decoding: Decoding, reader: ProtoReader, end: number, wireType: number, name: string): unknown {
  if (wireType !== decoding.wireType) throw wrongWireType(wireType, name);
  return decoding.read(reader, wireType === wire.bytes ? reader.lengthDelimited(end) : end);
}

const wrongWireType = (wireType: number, name: string): DecodeError =>
  new DecodeError(`proto: wrong wireType = ${wireType} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`);

/** The decodings of values that are not messages. */
export const plainDecodings = {
  string: { wireType: wire.bytes, read: (reader, end) => reader.text(end) },
  bytes: {
    wireType: wire.bytes,
    read: (reader, end) => {
      const start = reader.at;
      reader.at = end;
      return encodeBase64(reader.bytes, start, end);
    },
  },
  bool: { wireType: wire.varint, read: (reader, end) => reader.bool(end) },
  int32: { wireType: wire.varint, read: (reader, end) => reader.int32(end) },
  int64: { wireType: wire.varint, read: (reader, end) => reader.int64(end) },
  double: { wireType: wire.fixed64, read: (reader, end) => reader.double(end) },
} as const satisfies Readonly<Record<string, Decoding>>;
