import { type ResponseBody, TransportError } from '@coxswain/client';

/**
 * The body of a watch that a test has in its hand: it can be held back, ended or cut. It knows whether its reader has taken all
 * that has come.
 */
export class HeldWatch implements ResponseBody {
  readonly #inner: ResponseBody;
  readonly #onEnd: () => void;
  readonly #chunks: Uint8Array[] = [];
  /** How it is over; undefined while it goes on. */
  #over: { readonly error?: unknown } | undefined;
  #isHeld = false;
  /** The reader asks for more. */
  #wake: (() => void) | undefined;

  constructor(inner: ResponseBody, onEnd: () => void) {
    this.#inner = inner;
    this.#onEnd = onEnd;
    void this.#pump();
  }

  /** The reader has dealt with everything that it was given and waits for more; what is held back does not count. */
  get isQuiet(): boolean {
    return this.#wake !== undefined && (this.#isHeld || (this.#chunks.length === 0 && !this.#over));
  }

  /** What comes is kept from the reader: its cache is stale. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#notify();
  }

  /** As a server does when its time is over. */
  end(): void {
    this.#finish({});
    this.#inner.cancel();
  }

  /** As when a connection breaks. */
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
        // Who ends a watch does so also where it is held back.
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
