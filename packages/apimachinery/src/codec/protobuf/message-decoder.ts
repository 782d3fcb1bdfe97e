import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { encodeBase64 } from '../../schema/base64.ts';
import { DecodeError } from '../../schema/decode-error.ts';
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
const maxDenseNumber = 1024;

/** Reads the fields of a message into an object, and nothing else: what is not on the wire is not in the object. */
export class MessageDecoder {
  readonly #name: string;
  readonly #fields: (ReadField | undefined)[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** Throws when the field's number cannot be one of a built-in type. */
  add(number: number, read: ReadField): this {
    if (number >= maxDenseNumber) throw new Error(`${this.#name}: field number ${number} is out of range`);
    this.#fields[number] = read;
    return this;
  }

  /** Adds a field that is neither repeated nor a map. */
  addValue(number: number, name: string, decoding: Decoding): this {
    return this.add(number, (reader, end, wireType, target) => {
      target[name] = readValue(decoding, reader, end, wireType, name);
    });
  }

  read(reader: ProtoReader, end: number, target: JsonObject): void {
    if (++reader.depth > MAX_JSON_DEPTH) throw new DecodeError('proto: exceeded max depth');
    while (reader.at < end) {
      const tag = reader.varint(end);
      const wireType = tag % 8;
      const number = Math.floor(tag / 8);
      const read = this.#fields[number];
      if (read !== undefined) read(reader, end, wireType, target);
      else this.#skip(reader, end, number, wireType);
    }
    reader.depth--;
  }

  #skip(reader: ProtoReader, end: number, number: number, wireType: number): void {
    if (wireType === wire.endGroup) throw new DecodeError(`proto: ${this.#name}: wiretype end group for non-group`);
    if (number === 0) throw new DecodeError(`proto: ${this.#name}: illegal tag ${number} (wire type ${wireType})`);
    reader.skip(wireType, end);
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
