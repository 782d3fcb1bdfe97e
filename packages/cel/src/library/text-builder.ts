import { checkLength } from './limits.ts';

/** The number of pieces joined at a time: joining all of them at once would block for as long as that takes. */
const batchSize = 4096;

/** Builds a text from many pieces. Throws CelError when it becomes too long. */
export class TextBuilder {
  #done = '';
  #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    checkLength(this.#length);
    this.#pieces.push(piece);
    if (this.#pieces.length >= batchSize) this.#join();
  }

  get length(): number {
    return this.#length;
  }

  get text(): string {
    this.#join();
    return this.#done;
  }

  #join(): void {
    this.#done += this.#pieces.join('');
    this.#pieces = [];
  }
}
