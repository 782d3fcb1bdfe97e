import { base64ByteLength, decodeBase64Into } from '../../schema/base64.ts';
import { encodeUtf8Into } from '../utf8.ts';

const initialSize = 4096;
/** `reset` replaces a buffer that grew beyond this by a small one. */
const maxKeptSize = 1 << 20;
/** Longer strings are encoded by TextEncoder. */
const shortString = 48;

/**
 * Writes a protobuf message from its end to its beginning: a nested message is complete when its length has to be written, so no length
 * is computed beforehand and no bytes are moved afterwards. The field written last comes first in the message.
 */
export class ProtoWriter {
  #bytes: Uint8Array;
  #at: number;

  constructor(size = initialSize) {
    this.#bytes = new Uint8Array(size);
    this.#at = size;
  }

  /** The number of bytes written so far. The difference of two lengths is the number of bytes written in between. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a copy of the bytes written. The writer is empty afterwards. */
  take(): Uint8Array {
    const message = this.#bytes.slice(this.#at);
    this.reset();
    return message;
  }

  reset(): void {
    if (this.#bytes.length > maxKeptSize) this.#bytes = new Uint8Array(initialSize);
    this.#at = this.#bytes.length;
  }

  #reserve(count: number): void {
    if (count <= this.#at) return;
    const used = this.length;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, used + count));
    grown.set(this.#bytes.subarray(this.#at), grown.length - used);
    this.#bytes = grown;
    this.#at = grown.length - used;
  }

  byte(value: number): void {
    if (this.#at === 0) this.#reserve(1);
    this.#bytes[--this.#at] = value;
  }

  /** Writes a count, a length or a tag: a whole number from 0 to 2^53. */
  varint(value: number): void {
    if (value < 0x80) {
      this.byte(value);
      return;
    }
    if (value < 0x4000) {
      if (this.#at < 2) this.#reserve(2);
      this.#bytes[--this.#at] = value >> 7;
      this.#bytes[--this.#at] = (value & 0x7f) | 0x80;
      return;
    }
    let size = 3;
    for (let rest = value; rest >= 0x200000; rest /= 128) size++;
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 0x80;
    this.#bytes[at] = rest;
  }

  /** Writes a signed integer of up to 64 bits. */
  int(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    this.#reserve(10);
    const size = Math.max(1, Math.ceil(rest.toString(2).length / 7));
    this.#at -= size;
    let at = this.#at;
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[at] = Number(rest);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  /** Writes a string, preceded by its length. */
  string(text: string): void {
    const { length } = text;
    this.#reserve(length * 3);
    const bytes = this.#bytes;
    if (length <= shortString) {
      const start = this.#at - length;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code >= 0x80) break;
        bytes[start + i] = code;
      }
      if (i === length) {
        this.#at = start;
        this.varint(length);
        return;
      }
    }
    // The size is not known beforehand: the text is encoded at the beginning of the free space and then moved.
    const written = encodeUtf8Into(text, bytes.subarray(0, this.#at));
    this.#at -= written;
    bytes.copyWithin(this.#at, 0, written);
    this.varint(written);
  }

  /** Writes the bytes that a canonical base64 text encodes, preceded by their number. */
  base64(text: string): void {
    const size = base64ByteLength(text);
    this.#reserve(size);
    this.#at -= size;
    decodeBase64Into(text, this.#bytes, this.#at);
    this.varint(size);
  }
}
