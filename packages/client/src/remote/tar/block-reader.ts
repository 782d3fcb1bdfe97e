import { blockBytes, TarError } from './header.ts';

/** Reads an archive's blocks and contents from chunks of any size. Buffers at most one chunk. */
export class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** Returns the next block; undefined at the end. Throws a TarError when the bytes end within it. */
  async block(): Promise<Uint8Array | undefined> {
    if (this.#rest.length === 0 && !(await this.#more())) return undefined;
    return await this.#exactly(blockBytes);
  }

  /** Returns `size` bytes, and skips the padding. */
  async whole(size: number): Promise<Uint8Array> {
    return (await this.#exactly(padded(size))).subarray(0, size);
  }

  /** Returns `size` bytes in chunks. There is only one iterator, which continues after an early exit. */
  content(size: number): AsyncIterable<Uint8Array> {
    let left = size;
    let padding = padded(size) - size;
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (left === 0) {
        await this.#exactly(padding);
        padding = 0;
        return { done: true, value: undefined };
      }
      if (this.#rest.length === 0 && !(await this.#more())) throw new TarError('the archive is truncated');
      const piece = this.#take(Math.min(left, this.#rest.length));
      left -= piece.length;
      return { done: false, value: piece };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** Reads the rest. */
  async drain(): Promise<void> {
    while (await this.#more());
  }

  async #exactly(length: number): Promise<Uint8Array> {
    const whole = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new TarError('the archive is truncated');
      const piece = this.#take(Math.min(length - filled, this.#rest.length));
      whole.set(piece, filled);
      filled += piece.length;
    }
    return whole;
  }

  #take(length: number): Uint8Array {
    const piece = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return piece;
  }

  async #more(): Promise<boolean> {
    do {
      const next = await this.#source.next();
      if (next.done) return false;
      this.#rest = next.value;
    } while (this.#rest.length === 0);
    return true;
  }
}

const padded = (size: number): number => Math.ceil(size / blockBytes) * blockBytes;
