import { blockBytes, TarError } from './header.ts';

/** Takes bytes that come in pieces of any size in the sizes that an archive has. Holds at most one piece. */
export class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** The next block; undefined at the end. Throws a TarError when the bytes end within it. */
  async block(): Promise<Uint8Array | undefined> {
    if (this.#rest.length === 0 && !(await this.#more())) return undefined;
    return await this.#exactly(blockBytes);
  }

  /** So many bytes, which fill blocks. */
  async whole(size: number): Promise<Uint8Array> {
    return (await this.#exactly(padded(size))).subarray(0, size);
  }

  /** The same piece by piece. One iterator only: who leaves it early goes on where it was left. */
  content(size: number): AsyncIterable<Uint8Array> {
    let left = size;
    let padding = padded(size) - size;
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (left === 0) {
        await this.#exactly(padding);
        padding = 0;
        return { done: true, value: undefined };
      }
      if (this.#rest.length === 0 && !(await this.#more())) throw new TarError('the archive breaks off');
      const piece = this.#take(Math.min(left, this.#rest.length));
      left -= piece.length;
      return { done: false, value: piece };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** All the rest. */
  async drain(): Promise<void> {
    while (await this.#more());
  }

  async #exactly(length: number): Promise<Uint8Array> {
    const whole = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new TarError('the archive breaks off');
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
