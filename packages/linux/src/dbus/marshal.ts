/** A value whose type the reader of a message learns from the message. */
export interface Variant {
  readonly signature: string;
  readonly value: DBusValue;
}

/** Numbers for `y`, `n`, `q`, `i`, `u`; bigints for `x` and `t`; arrays for `a` and for structures. */
export type DBusValue = string | number | bigint | boolean | Variant | readonly DBusValue[];

const maxDepth = 32;

const alignments: Readonly<Record<string, number>> = {
  ...{ y: 1, g: 1, v: 1, n: 2, q: 2, b: 4, i: 4, u: 4, s: 4, o: 4, a: 4, x: 8, t: 8, d: 8, '(': 8, '{': 8 },
};

/** Splits a signature into complete types. Throws if it is malformed. */
export function typesOf(signature: string): string[] {
  const types: string[] = [];
  for (let at = 0; at < signature.length; ) {
    const end = endOfType(signature, at, 0);
    types.push(signature.slice(at, end));
    at = end;
  }
  return types;
}

function endOfType(signature: string, at: number, depth: number): number {
  const code = signature[at];
  if (code === undefined || depth > maxDepth || !(code in alignments))
    throw new Error(`malformed signature ${signature}`);
  if (code === 'a') return endOfType(signature, at + 1, depth + 1);
  if (code !== '(' && code !== '{') return at + 1;
  const close = code === '(' ? ')' : '}';
  let end = at + 1;
  while (signature[end] !== close) end = endOfType(signature, end, depth + 1);
  return end + 1;
}

const alignmentOf = (type: string): number => alignments[type[0] ?? ''] ?? 1;

/** Encodes values in D-Bus's format, with the low byte first. */
export class DBusWriter {
  #buffer = Buffer.alloc(256);
  #length = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  align(to: number): void {
    this.#reserve(-this.#length & (to - 1));
  }

  /** Throws if a value does not fit its type. */
  write(type: string, value: DBusValue): void {
    this.align(alignmentOf(type));
    switch (type[0]) {
      case 'y':
        this.#reserve(1);
        this.#buffer.writeUInt8(Number(value), this.#length - 1);
        break;
      case 'b':
      case 'u':
        this.#reserve(4);
        this.#buffer.writeUInt32LE(Number(value), this.#length - 4);
        break;
      case 'i':
        this.#reserve(4);
        this.#buffer.writeInt32LE(Number(value), this.#length - 4);
        break;
      case 't':
        this.#reserve(8);
        this.#buffer.writeBigUInt64LE(typeof value === 'bigint' ? value : BigInt(Number(value)), this.#length - 8);
        break;
      case 's':
      case 'o':
        this.#writeText(String(value), 4);
        break;
      case 'g':
        this.#writeText(String(value), 1);
        break;
      case 'v':
        if (typeof value !== 'object' || !('signature' in value)) throw new TypeError('a variant needs a signature');
        this.#writeText(value.signature, 1);
        this.write(value.signature, value.value);
        break;
      case 'a':
        this.#writeArray(type.slice(1), elementsOf(value));
        break;
      case '(':
        this.#writeStructure(type, elementsOf(value));
        break;
      default:
        throw new TypeError(`D-Bus type ${type} is not supported`);
    }
  }

  #writeStructure(type: string, elements: readonly DBusValue[]): void {
    const types = typesOf(type.slice(1, -1));
    if (elements.length !== types.length) throw new TypeError(`${type} needs ${types.length} values`);
    for (const [index, each] of types.entries()) this.write(each, elements[index]!);
  }

  #writeArray(type: string, elements: readonly DBusValue[]): void {
    const lengthAt = this.#reserve(4);
    this.align(alignmentOf(type));
    const start = this.#length;
    for (const element of elements) this.write(type, element);
    this.#buffer.writeUInt32LE(this.#length - start, lengthAt);
  }

  #writeText(text: string, lengthBytes: 1 | 4): void {
    const bytes = Buffer.from(text);
    if (bytes.includes(0)) throw new TypeError(`text ${JSON.stringify(text)} contains NUL`);
    const lengthAt = this.#reserve(lengthBytes);
    this.#buffer.writeUIntLE(bytes.length, lengthAt, lengthBytes);
    const at = this.#reserve(bytes.length + 1);
    bytes.copy(this.#buffer, at);
  }

  /** Appends bytes that are 0, and returns where they begin. It may replace the buffer, so it must not be called within an expression that uses it. */
  #reserve(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(this.#length, this.#buffer.length * 2));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    return at;
  }
}

function elementsOf(value: DBusValue): readonly DBusValue[] {
  if (!isList(value)) throw new TypeError('an array or structure is needed');
  return value;
}

export const isList = (value: DBusValue): value is readonly DBusValue[] => Array.isArray(value);

/** Decodes values. Throws if the bytes end too early or are malformed. */
export class DBusReader {
  readonly #buffer: Buffer;
  readonly #isLittle: boolean;
  #at: number;

  constructor(buffer: Buffer, isLittle: boolean, at = 0) {
    this.#buffer = buffer;
    this.#isLittle = isLittle;
    this.#at = at;
  }

  get position(): number {
    return this.#at;
  }

  align(to: number): void {
    this.#at += -this.#at & (to - 1);
  }

  readAll(signature: string): DBusValue[] {
    return typesOf(signature).map((type) => this.#read(type, 0));
  }

  #read(type: string, depth: number): DBusValue {
    if (depth > maxDepth) throw new Error('values are nested too deeply');
    this.align(alignmentOf(type));
    switch (type[0]) {
      case 'y':
        return this.#buffer.readUInt8(this.#take(1));
      case 'b':
        return this.#unsigned() === 1;
      case 'n':
        return this.#isLittle ? this.#buffer.readInt16LE(this.#take(2)) : this.#buffer.readInt16BE(this.#take(2));
      case 'q':
        return this.#isLittle ? this.#buffer.readUInt16LE(this.#take(2)) : this.#buffer.readUInt16BE(this.#take(2));
      case 'i':
        return this.#isLittle ? this.#buffer.readInt32LE(this.#take(4)) : this.#buffer.readInt32BE(this.#take(4));
      case 'u':
        return this.#unsigned();
      case 'x':
        return this.#isLittle ? this.#buffer.readBigInt64LE(this.#take(8)) : this.#buffer.readBigInt64BE(this.#take(8));
      case 't':
        return this.#isLittle
          ? this.#buffer.readBigUInt64LE(this.#take(8))
          : this.#buffer.readBigUInt64BE(this.#take(8));
      case 'd':
        return this.#isLittle ? this.#buffer.readDoubleLE(this.#take(8)) : this.#buffer.readDoubleBE(this.#take(8));
      case 's':
      case 'o':
        return this.#text(this.#unsigned());
      case 'g':
        return this.#text(this.#buffer.readUInt8(this.#take(1)));
      case 'v': {
        const signature = this.#text(this.#buffer.readUInt8(this.#take(1)));
        return { signature, value: this.#read(typesOf(signature)[0] ?? '', depth + 1) };
      }
      case 'a': {
        const length = this.#unsigned();
        this.align(alignmentOf(type.slice(1)));
        const end = this.#at + length;
        const elements: DBusValue[] = [];
        while (this.#at < end) elements.push(this.#read(type.slice(1), depth + 1));
        return elements;
      }
      case '(':
      case '{':
        return typesOf(type.slice(1, -1)).map((each) => this.#read(each, depth + 1));
      default:
        throw new Error(`D-Bus type ${type} is not supported`);
    }
  }

  #unsigned(): number {
    return this.#isLittle ? this.#buffer.readUInt32LE(this.#take(4)) : this.#buffer.readUInt32BE(this.#take(4));
  }

  #text(length: number): string {
    const at = this.#take(length + 1);
    return this.#buffer.toString('utf8', at, at + length);
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#buffer.length) throw new Error('the message ends too early');
    this.#at += bytes;
    return at;
  }
}
