/** When more than this waits, the sender is held up. */
const maxWaitingBytes = 256 * 1024;

/** Messages from one side to the other. */
export class MessageQueue implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #hasEnded = false;
  #wake: () => void = () => {};
  readonly #onRoom: () => void;

  /** Calls `onRoom` when the queue can take more again. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  /** False if no more should be added for now. */
  push(bytes: Uint8Array): boolean {
    if (this.#hasEnded) return true;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#wake();
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#waitingBytes > maxWaitingBytes;
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next) {
          const wasFull = this.isFull;
          this.#waitingBytes -= next.length;
          if (wasFull && !this.isFull) this.#onRoom();
          yield next;
        } else if (this.#hasEnded) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      // Nobody reads any more, so nothing may hold up the sender.
      this.#hasEnded = true;
      this.#waiting.length = 0;
      this.#waitingBytes = 0;
      this.#onRoom();
    }
  }
}
