import { checkLength } from './limits.ts';

/** So many pieces are joined at a time: the runtime joins all of them in one go, however many there are. */
const batchSize = 4096;

/** Builds a text of many pieces. Throws CelError when it becomes too long. */
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
