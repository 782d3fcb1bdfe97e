import { newBytesLike } from '../transport/response-body.ts';

const fewestBytes = 4 * 1024;
/** What was longer is not held for the next. */
const mostHeld = 64 * 1024;

/** A line that comes in pieces. They are put together in memory that is used again. */
export class PartialLine {
  #bytes: Uint8Array | undefined;
  /** The memory of the line that was taken last. */
  #taken: Uint8Array | undefined;
  length = 0;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const length = this.length + piece.length;
    if (!this.#bytes || this.#bytes.length < length) {
      const larger = newBytesLike(piece, Math.max(fewestBytes, length * 2));
      if (this.#bytes) larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.length);
    this.length = length;
  }

  /** The line, after which another begins. It is the taker's until the next is taken. */
  take(): Uint8Array {
    const line = this.#bytes?.subarray(0, this.length) ?? nothing;
    const next = this.#taken && this.#taken.length <= mostHeld ? this.#taken : undefined;
    this.#taken = this.#bytes;
    this.#bytes = next;
    this.length = 0;
    return line;
  }

  clear(): void {
    this.#bytes = undefined;
    this.#taken = undefined;
    this.length = 0;
  }
}

const nothing = new Uint8Array(0);
