/** A set of numbers below a size. Finds a free number without examining every single one. */
export class Bitmap {
  readonly size: number;
  readonly #words: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.size = size;
    this.#words = new Uint32Array(Math.ceil(size / 32));
  }

  /** The number of bits that are set. */
  get count(): number {
    return this.#count;
  }

  has(index: number): boolean {
    return (this.#words[index >>> 5]! & (1 << (index & 31))) !== 0;
  }

  /** Sets a bit. Returns false when it was set before. */
  set(index: number): boolean {
    if (this.has(index)) return false;
    this.#words[index >>> 5]! |= 1 << (index & 31);
    this.#count++;
    return true;
  }

  /** Clears a bit. Returns false when it was clear before. */
  clear(index: number): boolean {
    if (!this.has(index)) return false;
    this.#words[index >>> 5]! &= ~(1 << (index & 31));
    this.#count--;
    return true;
  }

  /** Returns a clear bit from `from` up to but not including `to`: the first one from `start` on, or else from `from` on. */
  findClear(from: number, to: number, start: number): number | undefined {
    return this.#firstClear(start, to) ?? this.#firstClear(from, start);
  }

  /** Examines words of 32 bits. */
  #firstClear(from: number, to: number): number | undefined {
    for (let index = from; index < to; index = (index | 31) + 1) {
      const free = ~this.#words[index >>> 5]! & (-1 << (index & 31));
      if (free === 0) continue;
      const found = (index & ~31) + 31 - Math.clz32(free & -free);
      return found < to ? found : undefined;
    }
    return undefined;
  }

  /** Compares with a bitmap of the same size. */
  equals(other: Bitmap): boolean {
    return this.#count === other.#count && this.#words.every((word, i) => word === other.#words[i]);
  }

  copy(): Bitmap {
    const copy = new Bitmap(this.size);
    copy.#words.set(this.#words);
    copy.#count = this.#count;
    return copy;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < this.size; index++) if (this.has(index)) yield index;
  }

  /** Returns upstream's encoding: a big-endian number without leading zeros, whose bit n is the bitmap's bit n. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#words.length * 4);
    const view = new DataView(bytes.buffer);
    for (const [i, word] of this.#words.entries()) view.setUint32(bytes.length - 4 * (i + 1), word);
    const first = bytes.findIndex((byte) => byte !== 0);
    return first < 0 ? new Uint8Array(0) : bytes.subarray(first);
  }

  /** The reverse of `toBytes`. Bits beyond the size are dropped. */
  static fromBytes(bytes: Uint8Array, size: number): Bitmap {
    const bitmap = new Bitmap(size);
    const bits = Math.min(size, bytes.length * 8);
    for (let index = 0; index < bits; index++) {
      if (bytes[bytes.length - 1 - (index >>> 3)]! & (1 << (index & 7))) bitmap.set(index);
    }
    return bitmap;
  }
}
