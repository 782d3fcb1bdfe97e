/** From one who writes to one who reads, a chunk at a time: who writes waits until it was taken. */
export class BytePipe implements AsyncIterable<Uint8Array> {
  /** What is to be read next. */
  #chunk: Uint8Array | undefined;
  /** Tells the writer that the chunk was dealt with. */
  #taken: () => void = () => {};
  #isEnded = false;
  #wake: () => void = () => {};

  /** Resolves when the chunk was taken, or nobody takes any more. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#chunk = bytes;
      this.#taken = resolve;
      this.#wake();
    });
  }

  /** Whether no more will be written, or nobody reads. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** No more will be written, or nobody will read: who still waits with a chunk need not. */
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
