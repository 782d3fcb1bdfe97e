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

export interface DerElement {
  readonly tag: number;
  /** With tag and length. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
}

/** Reads the elements of DER one after the other. What is not DER is not read: no element, and the reader stays. */
export class DerReader {
  readonly bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#at >= this.bytes.length;
  }

  get offset(): number {
    return this.#at;
  }

  /** The tag of the next element. */
  peek(): number | undefined {
    return this.bytes[this.#at];
  }

  /** The next element, if it is well formed. */
  next(): DerElement | undefined {
    const { bytes } = this;
    const at = this.#at;
    const tag = bytes[at];
    let length = bytes[at + 1];
    if (tag === undefined || length === undefined || (tag & 0x1f) === 0x1f) return undefined;
    let start = at + 2;
    if (length >= 0x80) {
      const digits = length & 0x7f;
      if (digits === 0 || digits > 4 || start + digits > bytes.length) return undefined;
      length = 0;
      for (const digit of bytes.subarray(start, start + digits)) length = length * 256 + digit;
      // The shortest form is the only one.
      if (length < 0x80 || length < 256 ** (digits - 1)) return undefined;
      start += digits;
    }
    if (start + length > bytes.length) return undefined;
    this.#at = start + length;
    return { tag, raw: bytes.subarray(at, this.#at), content: bytes.subarray(start, this.#at) };
  }

  /** The next element, if it has this tag. */
  take(tag: number): DerElement | undefined {
    return this.peek() === tag ? this.next() : undefined;
  }

  /** What is inside the next element, if it has this tag. Throws an X509Error with the message otherwise. */
  enter(tag: number, message: string): DerReader {
    return new DerReader(this.takeOr(tag, message).content);
  }

  takeOr(tag: number, message: string): DerElement {
    const element = this.take(tag);
    if (!element) throw new X509Error(message);
    return element;
  }

  integer(message: string): bigint {
    const { content } = this.takeOr(derTags.integer, message);
    const [first, second] = content;
    const isPadded = (first === 0 && second! < 0x80) || (first === 0xff && second! >= 0x80);
    if (first === undefined || (second !== undefined && isPadded)) throw new X509Error(message);
    return BigInt.asIntN(content.length * 8, bytesToBigInt(content));
  }

  /** An object identifier as the hexadecimal digits of its content. */
  oid(message: string): string {
    return toHex(this.takeOr(derTags.oid, message).content);
  }

  /** A string of whole bytes. */
  bitString(message: string): Uint8Array {
    const { content } = this.takeOr(derTags.bitString, message);
    const unused = content[0];
    if (unused === undefined || unused > 7 || (content.length === 1 && unused > 0)) throw new X509Error(message);
    if (unused > 0 && content.at(-1)! & ((1 << unused) - 1)) throw new X509Error(message);
    if (unused === 0) return content.subarray(1);
    // As a number: pushed to the right, so that its last bit is the last of a byte.
    return bigIntToBytes(bytesToBigInt(content.subarray(1)) >> BigInt(unused), content.length - 1);
  }
}

/** Two digits for each byte. */
export const toHex = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
};

/** Big-endian. */
export const bytesToBigInt = (bytes: Uint8Array): bigint => BigInt(bytes.length === 0 ? 0 : `0x${toHex(bytes)}`);

/** Big-endian, in this many bytes. */
export function bigIntToBytes(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16).padStart(length * 2, '0');
  return Uint8Array.from({ length }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
