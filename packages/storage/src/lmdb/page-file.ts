import { readSync } from 'node:fs';

/** The number of bytes read at once. Neighbouring pages are usually needed one after the other. */
const chunkBytes = 64 * 1024;

/** The number of chunks to keep. */
const keptChunks = 32;

/** Reads the pages of a file in chunks, and keeps the chunks read last in a fixed piece of memory. */
export class PageFile {
  readonly pageSize: number;
  readonly #descriptor: number;
  readonly #memory = Buffer.allocUnsafeSlow(chunkBytes * keptChunks);
  /** The position of each chunk in memory, and how many bytes of it exist. */
  readonly #chunks = new Map<number, { readonly place: number; readonly length: number }>();
  #nextPlace = 0;
  readonly #inPlace: (number | undefined)[] = [];

  constructor(descriptor: number, pageSize: number) {
    this.#descriptor = descriptor;
    this.pageSize = pageSize;
  }

  /** Copies a page to `into`. Returns false when the file ends before the page does. */
  read(number: number, into: Buffer): boolean {
    const position = number * this.pageSize;
    const index = Math.floor(position / chunkBytes);
    const { place, length } = this.#chunks.get(index) ?? this.#load(index);
    const offset = position - index * chunkBytes;
    if (offset + this.pageSize > length) return false;
    const start = place * chunkBytes + offset;
    this.#memory.copy(into, 0, start, start + this.pageSize);
    return true;
  }

  #load(index: number): { place: number; length: number } {
    const place = this.#nextPlace;
    this.#nextPlace = (place + 1) % keptChunks;
    const before = this.#inPlace[place];
    if (before !== undefined) this.#chunks.delete(before);
    let length = 0;
    while (length < chunkBytes) {
      const start = place * chunkBytes + length;
      const read = readSync(this.#descriptor, this.#memory, start, chunkBytes - length, index * chunkBytes + length);
      if (read === 0) break;
      length += read;
    }
    const loaded = { place, length };
    this.#chunks.set(index, loaded);
    this.#inPlace[place] = index;
    return loaded;
  }
}
