import { TransportError } from '../../transport.ts';
import { fieldSize, type HeaderField, staticTable } from './hpack-static-table.ts';
import { decodeHuffman } from './huffman.ts';

/** What we let the server remember: the protocol's default, so nothing needs to be said. */
const tableBytes = 4096;

/** Reads header blocks (RFC 7541) of one connection, in order: each may refer to fields of those before. */
export class HpackDecoder {
  /** The newest first. */
  readonly #table: HeaderField[] = [];
  #size = 0;
  #limit = tableBytes;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  /** The fields in order. Throws a `TransportError` for what is no header block: then the connection cannot go on. */
  decode(block: Uint8Array): HeaderField[] {
    this.#bytes = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      if (first & 0x80) fields.push(this.#known(this.#integer(7)));
      else if (first & 0x40) {
        const field = this.#literal(6);
        fields.push(field);
        this.#remember(field);
      } else if (first & 0x20) this.#resize(this.#integer(5));
      else fields.push(this.#literal(4));
    }
    return fields;
  }

  #known(index: number): HeaderField {
    const field = index <= staticTable.length ? staticTable[index - 1] : this.#table[index - staticTable.length - 1];
    if (!field) throw malformed();
    return field;
  }

  #literal(prefixBits: number): HeaderField {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#text() : this.#known(index).name;
    return { name, value: this.#text() };
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
      // No text or table is as long as what would not fit.
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

const malformed = (): TransportError =>
  new TransportError('the server sent a header that makes no sense', { code: 'EPROTO' });
