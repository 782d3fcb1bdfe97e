import { type ResponseBody, TransportError } from '@coxswain/client';

/** The response body of a watch that a test can hold back, end or cut. It knows whether its reader has processed all received data. */
export class HeldWatch implements ResponseBody {
  readonly #inner: ResponseBody;
  readonly #onEnd: () => void;
  readonly #chunks: Uint8Array[] = [];
  /** How it has ended; undefined while it is open. */
  #over: { readonly error?: unknown } | undefined;
  #isHeld = false;
  /** Set while the reader waits for more data. */
  #wake: (() => void) | undefined;

  constructor(inner: ResponseBody, onEnd: () => void) {
    this.#inner = inner;
    this.#onEnd = onEnd;
    void this.#pump();
  }

  /** True when the reader has processed all its data and waits for more. Data that is held back does not count. */
  get isQuiet(): boolean {
    return this.#wake !== undefined && (this.#isHeld || (this.#chunks.length === 0 && !this.#over));
  }

  /** Holds back data from the reader, so that its cache becomes stale. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#notify();
  }

  /** Ends the watch like a server at its timeout. */
  end(): void {
    this.#finish({});
    this.#inner.cancel();
  }

  /** Ends the watch like a broken connection. */
  cut(): void {
    this.#chunks.length = 0;
    this.#finish({ error: new TransportError('the watch was cut', { code: 'ECONNRESET' }) });
    this.#inner.cancel();
  }

  cancel(): void {
    this.end();
  }

  async bytes(): Promise<Uint8Array> {
    const all: Uint8Array[] = [];
    for await (const chunk of this.chunks()) all.push(chunk);
    return Buffer.concat(all);
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#isHeld ? undefined : this.#chunks.shift();
        if (chunk) {
          yield chunk;
          continue;
        }
        // The end of a watch is delivered even while data is held back.
        if (this.#over && (this.#chunks.length === 0 || this.#isHeld)) {
          if ('error' in this.#over) throw this.#over.error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.end();
    }
  }

  async #pump(): Promise<void> {
    try {
      for await (const chunk of this.#inner.chunks()) {
        if (this.#over) return;
        this.#chunks.push(chunk);
        this.#notify();
      }
      this.#finish({});
    } catch (error) {
      this.#finish({ error });
    }
  }

  #finish(over: { readonly error?: unknown }): void {
    if (this.#over) return;
    this.#over = over;
    this.#onEnd();
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
