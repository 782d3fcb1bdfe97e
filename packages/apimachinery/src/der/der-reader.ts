/** Thrown for a malformed certificate, request or key. The message is in the words of Go's libraries. */
export class X509Error extends Error {
  override readonly name = 'X509Error';
}

/** The tags of the elements in certificates. */
export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element of DER. Its content is parsed only on demand. */
export class DerElement {
  readonly tag: number;
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #contentStart: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start: number, contentStart: number, end: number) {
    this.tag = bytes[start]!;
    this.#bytes = bytes;
    this.#start = start;
    this.#contentStart = contentStart;
    this.#end = end;
  }

  /** The element with its tag and length. */
  get raw(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  get content(): Uint8Array {
    return this.#bytes.subarray(this.#contentStart, this.#end);
  }

  get length(): number {
    return this.#end - this.#contentStart;
  }

  /** Returns a reader of the elements in its content. */
  inside(): DerReader {
    return new DerReader(this.#bytes, this.#contentStart, this.#end);
  }
}

/**
 * Reads the elements of DER one after the other. For bytes that are not DER it returns no element and does not advance. An element is a
 * view of the bytes, so reading one costs the same whatever its length; nested elements are read only when the caller enters them.
 */
export class DerReader {
  readonly #all: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  #at: number;

  /** `start` and `end` limit the reader to a part of the bytes. */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#all = bytes;
    this.#start = start;
    this.#end = end;
    this.#at = start;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#end;
  }

  /** All bytes of the reader, those read included. */
  get bytes(): Uint8Array {
    return this.#all.subarray(this.#start, this.#end);
  }

  /** The number of bytes read so far. */
  get offset(): number {
    return this.#at - this.#start;
  }

  /** Returns the tag of the next element. */
  peek(): number | undefined {
    return this.isEmpty ? undefined : this.#all[this.#at];
  }

  /** Reads the next element. Returns undefined when it is malformed. */
  next(): DerElement | undefined {
    const bytes = this.#all;
    const at = this.#at;
    let start = at + 2;
    if (start > this.#end || (bytes[at]! & 0x1f) === 0x1f) return undefined;
    let length = bytes[at + 1]!;
    if (length >= 0x80) {
      const digits = length & 0x7f;
      if (digits === 0 || digits > 4 || start + digits > this.#end) return undefined;
      length = 0;
      for (let i = 0; i < digits; i++) length = length * 256 + bytes[start + i]!;
      // DER allows only the shortest form.
      if (length < 0x80 || length < 256 ** (digits - 1)) return undefined;
      start += digits;
    }
    if (start + length > this.#end) return undefined;
    this.#at = start + length;
    return new DerElement(bytes, at, start, this.#at);
  }

  /** Reads the next element if it has this tag. */
  take(tag: number): DerElement | undefined {
    return this.peek() === tag ? this.next() : undefined;
  }

  /** Reads the next element and returns a reader of its content. Throws an X509Error with the message when it has another tag. */
  enter(tag: number, message: string): DerReader {
    return this.takeOr(tag, message).inside();
  }

  takeOr(tag: number, message: string): DerElement {
    const element = this.take(tag);
    if (!element) throw new X509Error(message);
    return element;
  }

  /** Reads an integer and returns its content: big-endian two's complement, in as few bytes as possible. */
  integerBytes(message: string): Uint8Array {
    const { content } = this.takeOr(derTags.integer, message);
    const [first, second] = content;
    const isPadded = (first === 0 && second! < 0x80) || (first === 0xff && second! >= 0x80);
    if (first === undefined || (second !== undefined && isPadded)) throw new X509Error(message);
    return content;
  }

  integer(message: string): bigint {
    return signedBigInt(this.integerBytes(message));
  }

  boolean(message: string): boolean {
    const { content } = this.takeOr(derTags.boolean, message);
    const [value] = content;
    if (content.length !== 1 || (value !== 0 && value !== 0xff)) throw new X509Error(message);
    return value === 0xff;
  }

  /** Reads an object identifier and returns it with dots: `2.5.29.17`. As in Go, its numbers must be below 2³¹. */
  oid(message: string): string {
    const { content } = this.takeOr(derTags.oid, message);
    let text = '';
    let part = 0;
    let isFirstByte = true;
    for (let i = 0; i < content.length; i++) {
      const byte = content[i]!;
      if ((isFirstByte && byte === 0x80) || part >= 2 ** 24) throw new X509Error(message);
      part = part * 128 + (byte & 0x7f);
      isFirstByte = byte < 0x80;
      if (!isFirstByte) continue;
      // The first two numbers are encoded as one.
      const first = Math.min(Math.floor(part / 40), 2);
      text = text === '' ? `${first}.${part - 40 * first}` : `${text}.${part}`;
      part = 0;
    }
    if (!isFirstByte || text === '') throw new X509Error(message);
    return text;
  }

  /** Reads a bit string. `unused` is the number of unused bits in its last byte, which must be zero. */
  bits(message: string): { readonly bytes: Uint8Array; readonly unused: number } {
    const { content } = this.takeOr(derTags.bitString, message);
    const unused = content[0];
    if (unused === undefined || unused > 7 || (content.length === 1 && unused > 0)) throw new X509Error(message);
    if (unused > 0 && content.at(-1)! & ((1 << unused) - 1)) throw new X509Error(message);
    return { bytes: content.subarray(1), unused };
  }

  /** Reads a bit string as a number: shifted to the right, so that its last bit is the lowest bit of the last byte. */
  bitString(message: string): Uint8Array {
    const { bytes, unused } = this.bits(message);
    if (unused === 0) return bytes;
    return bytes.map((byte, i) => (byte >> unused) | ((i === 0 ? 0 : bytes[i - 1]!) << (8 - unused)));
  }
}

const hexDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns two hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += hexDigits[bytes[i]!];
  return text;
}

/** Returns the number that the content of an integer encodes. */
export const signedBigInt = (content: Uint8Array): bigint =>
  BigInt.asIntN(content.length * 8, BigInt(`0x${toHex(content)}`));
