import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ByteSource } from '../byte-streams.ts';

/**
 * Iterates over a Node stream, for `stdin`. Unlike the stream's own iterator it can be stopped at any time: the stream
 * is then paused and not destroyed, so that `process.stdin` does not keep the process alive and can be used by others.
 */
export function sourceOf(readable: Readable): AsyncIterable<Uint8Array | string> & ByteSource {
  return { [Symbol.asyncIterator]: () => new ReadableIterator(readable) };
}

/** Events after which there may be no more data. */
const ends = ['end', 'error', 'close'];

class ReadableIterator implements AsyncIterator<Uint8Array | string, undefined> {
  readonly #readable: Readable;
  /** Not empty only while the stream is paused. */
  readonly #chunks: (Uint8Array | string)[] = [];
  #wake: () => void = () => {};
  #isLetGo = false;
  // Uses `data` instead of `readable` events: a stream with `readable` listeners is not paused in a way that lets the
  // process exit.
  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#chunks.push(chunk);
    this.#readable.pause();
    this.#wake();
  };
  readonly #onEnd = (): void => this.#wake();

  constructor(readable: Readable) {
    this.#readable = readable;
    readable.pause();
    readable.on('data', this.#onData);
    for (const event of ends) readable.on(event, this.#onEnd);
  }

  async next(): Promise<IteratorResult<Uint8Array | string, undefined>> {
    while (!this.#isLetGo) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) return { done: false, value: chunk };
      const { errored, readableEnded, destroyed } = this.#readable;
      if (errored || readableEnded || destroyed) {
        this.#letGo();
        if (errored) throw errored;
        break;
      }
      this.#readable.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#letGo();
    this.#wake();
    return { done: true, value: undefined };
  }

  #letGo(): void {
    if (this.#isLetGo) return;
    this.#isLetGo = true;
    this.#readable.off('data', this.#onData);
    for (const event of ends) this.#readable.off(event, this.#onEnd);
    this.#readable.pause();
    // Returns unread chunks to the stream.
    for (const chunk of this.#chunks.splice(0).reverse()) this.#readable.unshift(chunk);
  }
}

/** Writes to a Node stream, for `stdout` and `stderr`, with backpressure. Leaves it open. */
export function sinkTo(writable: Writable): (chunk: Uint8Array) => Promise<void> | undefined {
  return (chunk) => {
    if (writable.destroyed) throw writable.errored ?? new Error('the stream is closed');
    return writable.write(chunk) ? undefined : drained(writable);
  };
}

async function drained(writable: Writable): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([
      once(writable, 'drain', { signal: over.signal }),
      once(writable, 'close', { signal: over.signal }).then(() => {
        throw writable.errored ?? new Error('the stream is closed');
      }),
    ]);
  } finally {
    over.abort();
  }
}
