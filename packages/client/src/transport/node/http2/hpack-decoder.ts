import { fieldSize, type HeaderField, overheadBytes, staticTable } from './hpack-static-table.ts';
import { errorCodes, Http2Error } from './http2-error.ts';
import { decodeHuffman } from './huffman.ts';

/** Maximum size of our dynamic table: the protocol's default, so it need not be announced. */
const tableBytes = 4096;
/** Names must be in lower case; only pseudo-headers begin with a colon. */
const badName = /^$|[^!#$%&'*+\-.^_`|~0-9a-z]/;
const badValue = /[\0\r\n]/;

/**
 * Decodes the header blocks (RFC 7541) of one connection, in order: each may refer to fields of earlier ones. Memory is
 * bounded by the size of the dynamic table, and a decoded block by `longestList`, in the protocol's own measure.
 */
export class HpackDecoder {
  /** The dynamic table, newest first. */
  readonly #table: HeaderField[] = [];
  #size = 0;
  #limit = tableBytes;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  readonly #longestList: number;

  constructor(longestList: number) {
    this.#longestList = longestList;
  }

  /**
   * Returns the fields in order. Throws an `Http2Error` for an invalid block, after which the connection cannot be
   * used.
   */
  decode(block: Uint8Array): HeaderField[] {
    this.#bytes = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    let size = 0;
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      if ((first & 0xe0) === 0x20) {
        if (fields.length > 0) throw malformed();
        this.#resize(this.#integer(5));
        continue;
      }
      const field = this.#field(first);
      fields.push(field);
      size += field.name.length + field.value.length + overheadBytes;
      if (size > this.#longestList) throw new Http2Error('a header list is too long', errorCodes.enhanceYourCalm);
    }
    return fields;
  }

  #field(first: number): HeaderField {
    if (first & 0x80) return this.#known(this.#integer(7));
    if ((first & 0x40) === 0) return this.#literal(4);
    const field = this.#literal(6);
    this.#remember(field);
    return field;
  }

  #known(index: number): HeaderField {
    const field = index <= staticTable.length ? staticTable[index - 1] : this.#table[index - staticTable.length - 1];
    if (!field) throw malformed();
    return field;
  }

  #literal(prefixBits: number): HeaderField {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#text() : this.#known(index).name;
    const value = this.#text();
    // Names from the tables were validated before.
    if ((index === 0 && badName.test(name.replace(/^:/, ''))) || badValue.test(value)) {
      throw malformed(errorCodes.protocolError);
    }
    return { name, value };
  }

  #text(): string {
    const isHuffman = (this.#bytes[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed();
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    const text = isHuffman ? decodeHuffman(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!text) throw malformed();
    return text.toString();
  }

  #integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#next() & most;
    if (value < most) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#next();
      // Larger values exceed any valid length or index.
      if (shift > 21) throw malformed();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  #next(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw malformed();
    return byte;
  }

  #remember(field: HeaderField): void {
    this.#table.unshift(field);
    this.#size += fieldSize(field);
    this.#evict();
  }

  #resize(limit: number): void {
    if (limit > tableBytes) throw malformed();
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) this.#size -= fieldSize(this.#table.pop()!);
  }
}

const malformed = (code: number = errorCodes.compressionError): Http2Error =>
  new Http2Error('a header is malformed', code);
