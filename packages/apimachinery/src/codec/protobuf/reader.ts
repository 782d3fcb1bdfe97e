import { DecodeError } from '../../schema/decode-error.ts';
import { toInt64 } from '../../schema/int64.ts';
import { commonStrings } from './string-table.ts';

/** The wire types. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

const unexpectedEof = (): DecodeError => new DecodeError('unexpected EOF');
const overflow = (): DecodeError => new DecodeError('proto: integer overflow');
const invalidLength = (): DecodeError => new DecodeError('proto: negative length found during unmarshaling');

/** Reads a protobuf message. Every method throws DecodeError, with upstream's message, instead of reading past the end. */
export class ProtoReader {
  readonly bytes: Uint8Array;
  at: number;
  /** The depth of nested messages, which the decoder counts. */
  depth = 0;
  /** The number of strings, bytes and messages that may still be read. */
  #partsLeft: number;

  constructor(bytes: Uint8Array, at = 0, maxParts: number = Number.MAX_SAFE_INTEGER) {
    this.bytes = bytes;
    this.at = at;
    this.#partsLeft = maxParts;
  }

  /** Reads an unsigned number below 2^53: a tag or a length. */
  varint(end: number): number {
    const first = this.bytes[this.at]!;
    if (first < 0x80 && this.at < end) {
      this.at++;
      return first;
    }
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= end) throw unexpectedEof();
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw overflow();
  }

  /** Reads a length and returns the end of the value that follows. */
  lengthDelimited(end: number): number {
    const length = this.varint(end);
    if (--this.#partsLeft < 0) throw new DecodeError('proto: the message has too many parts');
    if (length <= end - this.at) return this.at + length;
    throw length >= 2 ** 63 ? invalidLength() : unexpectedEof();
  }

  /** Reads the rest of a tag of several bytes, given its first byte. */
  restOfTag(first: number, end: number): number {
    const { at } = this;
    const second = this.bytes[at]!;
    if (second < 0x80 && at < end) {
      this.at = at + 1;
      return (first & 0x7f) + second * 0x80;
    }
    this.at = at - 1;
    return this.varint(end);
  }

  int32(end: number): number {
    const value = this.int64(end);
    return typeof value === 'number' && (value | 0) === value ? value : Number(BigInt.asIntN(32, BigInt(value)));
  }

  int64(end: number): number | bigint {
    const start = this.at;
    let value = 0;
    let factor = 1;
    // Seven bytes hold 49 bits, which a double represents exactly.
    for (let i = 0; i < 7 && this.at < end; i++) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    this.at = start;
    return toInt64(BigInt.asIntN(64, this.#bits(end))) ?? 0;
  }

  /** Reads the 64 bits of a varint. */
  #bits(end: number): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      if (this.at >= end) throw unexpectedEof();
      const byte = this.bytes[this.at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw overflow();
  }

  bool(end: number): boolean {
    return this.varint(end) !== 0;
  }

  double(end: number): number {
    if (end - this.at < 8) throw unexpectedEof();
    const value = new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** Reads a length and the string that follows. */
  string(end: number): string {
    return this.text(this.lengthDelimited(end));
  }

  /** Reads the string up to `end`. */
  text(end: number): string {
    const start = this.at;
    this.at = end;
    // Upstream writes unset strings too, as empty ones.
    return start === end ? '' : commonStrings.get(this.bytes, start, end);
  }

  /** Skips an unknown field, given its wire type. */
  skip(wireType: number, end: number): void {
    let groups = 0;
    for (let type = wireType; ; type = this.varint(end) % 8) {
      if (type === wire.varint) this.varint(end);
      else if (type === wire.fixed64) this.at += 8;
      else if (type === wire.bytes) this.at = this.lengthDelimited(end);
      else if (type === wire.startGroup) groups++;
      else if (type === wire.fixed32) this.at += 4;
      else if (type !== wire.endGroup) throw new DecodeError(`proto: illegal wireType ${type}`);
      else if (--groups < 0) throw new DecodeError('proto: unexpected end of group');
      if (this.at > end) throw unexpectedEof();
      if (groups === 0) return;
    }
  }
}
