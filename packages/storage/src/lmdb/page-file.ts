import { readSync } from 'node:fs';

/** Read at once. Neighbouring pages are usually needed one after the other. */
const chunkBytes = 64 * 1024;

/** How many chunks are kept. */
const keptChunks = 32;

/** The pages of a file, read in chunks, of which the ones read last are kept: always in the same memory. */
export class PageFile {
  readonly pageSize: number;
  readonly #descriptor: number;
  readonly #memory = Buffer.allocUnsafeSlow(chunkBytes * keptChunks);
  /** Where in memory a chunk is, and how much of it there is. */
  readonly #chunks = new Map<number, { readonly place: number; readonly length: number }>();
  #nextPlace = 0;
  readonly #inPlace: (number | undefined)[] = [];

  constructor(descriptor: number, pageSize: number) {
    this.#descriptor = descriptor;
    this.pageSize = pageSize;
  }

  /** Copies a page. False when the file ends before the page does. */
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
