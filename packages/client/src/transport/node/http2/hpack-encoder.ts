import { fieldSize, staticTable } from './hpack-static-table.ts';

/** Maximum size of the server's dynamic table that we use: the protocol's default. */
const mostTableBytes = 4096;
/** Fields that differ in every request are not added to the dynamic table. */
const passing: ReadonlySet<string> = new Set([':path', 'content-length']);

/** Indexes by name and value. */
type Numbers = Map<string, Map<string, number>>;

const staticNumbers: Numbers = new Map();
const staticNames = new Map<string, number>();
staticTable.forEach(({ name, value }, index) => {
  put(staticNumbers, name, value, index + 1);
  if (!staticNames.has(name)) staticNames.set(name, index + 1);
});

/**
 * Encodes the header blocks (RFC 7541) of one connection. Fields that are the same in most requests, such as the
 * credentials, take one byte from the second time on. When the dynamic table is full, it is cleared and filled again.
 */
export class HpackEncoder {
  /** The insertion count of each field in the dynamic table. */
  readonly #known: Numbers = new Map();
  #count = 0;
  #size = 0;
  #limit = mostTableBytes;
  /** The table is full and will be cleared after this block. */
  #isFull = false;
  /** The next block begins with clearing the server's table. */
  #startsAnew = false;
  #block: Buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  /** The server's SETTINGS_HEADER_TABLE_SIZE. */
  set tableBytes(bytes: number) {
    const limit = Math.min(bytes, mostTableBytes);
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#forget();
  }

  /** Whether this field is in the dynamic table, because it was sent before. */
  knows(name: string, value: string): boolean {
    return this.#known.get(name)?.has(value) ?? false;
  }

  /** Starts a block. */
  begin(): void {
    this.#length = 0;
    if (!this.#startsAnew) return;
    this.#startsAnew = false;
    this.#integer(0x20, 5, 0);
    this.#integer(0x20, 5, this.#limit);
  }

  /** Adds a field. The name must be in lower case. */
  add(name: string, value: string): void {
    const at = this.#known.get(name)?.get(value);
    // The newest entry has the lowest index.
    const number = at === undefined ? staticNumbers.get(name)?.get(value) : staticTable.length + this.#count - at;
    if (number !== undefined) this.#integer(0x80, 7, number);
    else this.#literal(name, value);
  }

  /** Returns the block, which is valid until the next `begin`. */
  end(): Buffer {
    if (this.#isFull) this.#forget();
    return this.#block.subarray(0, this.#length);
  }

  #literal(name: string, value: string): void {
    const nameNumber = staticNames.get(name) ?? 0;
    const isKept = this.#remember(name, value);
    this.#integer(isKept ? 0x40 : 0, isKept ? 6 : 4, nameNumber);
    if (nameNumber === 0) this.#text(name);
    this.#text(value);
  }

  #remember(name: string, value: string): boolean {
    const size = fieldSize({ name, value });
    if (passing.has(name) || size > this.#limit / 2) return false;
    if (this.#size + size > this.#limit) this.#isFull = true;
    if (this.#isFull) return false;
    put(this.#known, name, value, this.#count++);
    this.#size += size;
    return true;
  }

  #forget(): void {
    this.#known.clear();
    this.#count = 0;
    this.#size = 0;
    this.#isFull = false;
    this.#startsAnew = true;
  }

  #text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#integer(0, 7, length);
    this.#reserve(length);
    this.#length += this.#block.write(text, this.#length);
  }

  #integer(first: number, prefixBits: number, value: number): void {
    this.#reserve(6);
    const most = (1 << prefixBits) - 1;
    if (value < most) {
      this.#block[this.#length++] = first | value;
      return;
    }
    this.#block[this.#length++] = first | most;
    let rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) this.#block[this.#length++] = (rest & 0x7f) | 0x80;
    this.#block[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#block.length) return;
    const larger = Buffer.allocUnsafe((this.#length + bytes) * 2);
    this.#block.copy(larger, 0, 0, this.#length);
    this.#block = larger;
  }
}

function put(numbers: Numbers, name: string, value: string, number: number): void {
  const values = numbers.get(name);
  if (!values) numbers.set(name, new Map([[value, number]]));
  else if (!values.has(value)) values.set(value, number);
}
