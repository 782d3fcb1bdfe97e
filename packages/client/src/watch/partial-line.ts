import { newBytesLike } from '../transport/response-body.ts';

const fewestBytes = 4 * 1024;
/** Larger buffers are not reused. */
const mostHeld = 64 * 1024;

/** Joins the pieces of a line in a reused buffer. */
export class PartialLine {
  #bytes: Uint8Array | undefined;
  /** The buffer of the line that was taken last. */
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

  /** Returns the line and starts the next one. The line is valid until the next `take`. */
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
