/** What is wrong with a certificate, a request or a key, in the words of Go's libraries. */
export class X509Error extends Error {
  override readonly name = 'X509Error';
}

/** Of the elements that certificates are made of. */
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

/** One element of DER. What is in it is made out only when somebody asks. */
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

  /** With tag and length. */
  get raw(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  get content(): Uint8Array {
    return this.#bytes.subarray(this.#contentStart, this.#end);
  }

  get length(): number {
    return this.#end - this.#contentStart;
  }

  /** Reads what is inside. */
  inside(): DerReader {
    return new DerReader(this.#bytes, this.#contentStart, this.#end);
  }
}

/**
 * Reads the elements of DER one after the other. What is not DER is not read: no element, and the reader stays. An element is
 * a view of the bytes, so reading one costs the same whatever its length; nothing is read deeper than the caller enters.
 */
export class DerReader {
  readonly #all: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  #at: number;

  /** Of a part of the bytes, if that is said. */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#all = bytes;
    this.#start = start;
    this.#end = end;
    this.#at = start;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#end;
  }

  /** All that it reads. */
  get bytes(): Uint8Array {
    return this.#all.subarray(this.#start, this.#end);
  }

  /** How many of them have been read. */
  get offset(): number {
    return this.#at - this.#start;
  }

  /** The tag of the next element. */
  peek(): number | undefined {
    return this.isEmpty ? undefined : this.#all[this.#at];
  }

  /** The next element, if it is well formed. */
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
      // The shortest form is the only one.
      if (length < 0x80 || length < 256 ** (digits - 1)) return undefined;
      start += digits;
    }
    if (start + length > this.#end) return undefined;
    this.#at = start + length;
    return new DerElement(bytes, at, start, this.#at);
  }

  /** The next element, if it has this tag. */
  take(tag: number): DerElement | undefined {
    return this.peek() === tag ? this.next() : undefined;
  }

  /** What is inside the next element, if it has this tag. Throws an X509Error with the message otherwise. */
  enter(tag: number, message: string): DerReader {
    return this.takeOr(tag, message).inside();
  }

  takeOr(tag: number, message: string): DerElement {
    const element = this.take(tag);
    if (!element) throw new X509Error(message);
    return element;
  }

  /** The content of an integer: big-endian two's complement, in as few bytes as it needs. */
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

  /** An object identifier with dots: `2.5.29.17`. Its numbers are below 2³¹, as Go wants them. */
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
      // The first two numbers are in one.
      const first = Math.min(Math.floor(part / 40), 2);
      text = text === '' ? `${first}.${part - 40 * first}` : `${text}.${part}`;
      part = 0;
    }
    if (!isFirstByte || text === '') throw new X509Error(message);
    return text;
  }

  /** A string of bits, those that are unused at the end of its last byte. */
  bits(message: string): { readonly bytes: Uint8Array; readonly unused: number } {
    const { content } = this.takeOr(derTags.bitString, message);
    const unused = content[0];
    if (unused === undefined || unused > 7 || (content.length === 1 && unused > 0)) throw new X509Error(message);
    if (unused > 0 && content.at(-1)! & ((1 << unused) - 1)) throw new X509Error(message);
    return { bytes: content.subarray(1), unused };
  }

  /** A string of bits as a number: pushed to the right, so that its last bit is the last of a byte. */
  bitString(message: string): Uint8Array {
    const { bytes, unused } = this.bits(message);
    if (unused === 0) return bytes;
    return bytes.map((byte, i) => (byte >> unused) | ((i === 0 ? 0 : bytes[i - 1]!) << (8 - unused)));
  }
}

const hexDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Two digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += hexDigits[bytes[i]!];
  return text;
}

/** What the content of an integer stands for. */
export const signedBigInt = (content: Uint8Array): bigint =>
  BigInt.asIntN(content.length * 8, BigInt(`0x${toHex(content)}`));
