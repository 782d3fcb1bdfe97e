import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { encodeBase64 } from '../../schema/base64.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { propertyKey } from '../../schema/property-key.ts';
import { type ProtoReader, wire } from './reader.ts';

export type JsonObject = Record<string, unknown>;

/**
 * How a value is read. `end` is where the value ends if its wire type gives it a length, which was read already; else
 * where the message ends that holds it.
 */
export interface Decoding {
  readonly wireType: number;
  readonly read: (reader: ProtoReader, end: number) => unknown;
}

/** Reads one field, whose tag was read, into the object. `end` is the end of the message. */
export type ReadField = (reader: ProtoReader, end: number, wireType: number, target: JsonObject) => void;

/** Numbers below this are looked up in a list; none of upstream's is greater. */
const maxNumber = 1024;

/** Kinds that most fields have; they are read in place, without a call. */
type PlainKind = 'string' | 'bool' | 'int32';

interface FieldDecoder {
  readonly name: string;
  readonly plain: PlainKind | undefined;
  /** A plain field's zero value, which is left out; undefined when it is not. */
  readonly dropped: unknown;
  /** How each value of a repeated field is read. */
  readonly items: Decoding | undefined;
  readonly read: ReadField | undefined;
  /** Marks the field in what `read` returns. */
  readonly bit: number;
}

/** Reads the fields of a message into an object, and nothing else: what is not on the wire is not in the object. */
export class MessageDecoder {
  readonly #name: string;
  readonly #fields: (FieldDecoder | undefined)[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** Throws when the number cannot be one of a built-in type. */
  #add(number: number, name: string, field: Partial<FieldDecoder>): this {
    if (number >= maxNumber) throw new Error(`${this.#name}: field number ${number} is out of range`);
    const { plain, dropped, items, read, bit = 0 } = field;
    this.#fields[number] = { name: propertyKey(name), plain, dropped, items, read, bit };
    return this;
  }

  add(number: number, name: string, read: ReadField, bit = 0): this {
    return this.#add(number, name, { read, bit });
  }

  addPlain(number: number, name: string, plain: PlainKind, dropped?: unknown, bit = 0): this {
    return this.#add(number, name, { plain, dropped, bit });
  }

  addRepeated(number: number, name: string, items: Decoding, bit = 0): this {
    return this.#add(number, name, { items, bit });
  }

  /** Adds a field that is neither repeated nor a map. */
  addValue(number: number, name: string, decoding: Decoding): this {
    return this.add(number, name, (reader, end, wireType, target) => {
      target[name] = readValue(decoding, reader, end, wireType, name);
    });
  }

  /** Returns the bits of the fields that were there. */
  read(reader: ProtoReader, end: number, target: JsonObject): number {
    if (++reader.depth > MAX_JSON_DEPTH) throw new DecodeError('proto: exceeded max depth');
    let found = 0;
    // The values of a repeated field follow each other.
    let repeated: FieldDecoder | undefined;
    let list: unknown[] = [];
    const fields = this.#fields;
    while (reader.at < end) {
      const tag = reader.varint(end);
      const wireType = tag & 7;
      const field = tag < maxNumber * 8 ? fields[tag >>> 3] : undefined;
      if (field === undefined) {
        this.#skip(reader, end, tag);
        continue;
      }
      found |= field.bit;
      const { name, plain } = field;
      if (plain !== undefined) {
        if (wireType !== (plain === 'string' ? wire.bytes : wire.varint)) throw wrongWireType(wireType, name);
        const value =
          plain === 'string'
            ? reader.text(reader.lengthDelimited(end))
            : plain === 'bool'
              ? reader.bool(end)
              : reader.int32(end);
        if (value !== field.dropped) target[name] = value;
      } else if (field.items !== undefined) {
        if (field !== repeated) {
          list = listIn(target, name);
          repeated = field;
        }
        readItems(field.items, reader, end, wireType, name, list);
      } else {
        field.read?.(reader, end, wireType, target);
      }
    }
    reader.depth--;
    return found;
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

/** Beyond this, strings are not cut from the text of the whole message, which they would keep alive. */
const bigMessage = 16_384;

function readItems(
  items: Decoding,
  reader: ProtoReader,
  end: number,
  wireType: number,
  name: string,
  list: unknown[],
): void {
  if (wireType === wire.bytes) {
    const valueEnd = reader.lengthDelimited(end);
    if (items.wireType === wire.bytes) {
      // An object of a list.
      if (reader.depth === 1 && reader.bytes.length > bigMessage) reader.window(reader.at, valueEnd);
      list.push(items.read(reader, valueEnd));
    } else {
      // Numbers may come packed, although upstream does not write them so.
      while (reader.at < valueEnd) list.push(items.read(reader, valueEnd));
    }
  } else if (wireType === items.wireType) {
    list.push(items.read(reader, end));
  } else {
    throw wrongWireType(wireType, name);
  }
}

/** The end of a value that must have a length. Throws DecodeError when its wire type says that it has none. */
export function endOf(reader: ProtoReader, end: number, wireType: number, name: string): number {
  if (wireType !== wire.bytes) throw wrongWireType(wireType, name);
  return reader.lengthDelimited(end);
}

/** Reads a value whose tag was read. Throws DecodeError when it has another wire type. */
export function readValue(
  decoding: Decoding,
  reader: ProtoReader,
  end: number,
  wireType: number,
  name: string,
): unknown {
  if (wireType !== decoding.wireType) throw wrongWireType(wireType, name);
  return decoding.read(reader, wireType === wire.bytes ? reader.lengthDelimited(end) : end);
}

const wrongWireType = (wireType: number, name: string): DecodeError =>
  new DecodeError(`proto: wrong wireType = ${wireType} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`);

/** The values that are no messages. */
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
