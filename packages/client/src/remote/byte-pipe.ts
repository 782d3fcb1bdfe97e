/** A pipe that holds one chunk: `write` resolves when the reader has processed it. */
export class BytePipe implements AsyncIterable<Uint8Array> {
  /** The chunk to read next. */
  #chunk: Uint8Array | undefined;
  /** Resolves the pending write. */
  #taken: () => void = () => {};
  #isEnded = false;
  #wake: () => void = () => {};

  /** Resolves when the chunk was processed, or the pipe has ended. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#chunk = bytes;
      this.#taken = resolve;
      this.#wake();
    });
  }

  /** True when the writer has ended or the reader has stopped. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Ends the pipe for both sides, and resolves a pending write. */
  end(): void {
    this.#isEnded = true;
    this.#chunk = undefined;
    this.#taken();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#chunk;
        this.#chunk = undefined;
        if (chunk) {
          yield chunk;
          this.#taken();
        } else if (this.#isEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.end();
    }
  }
}
