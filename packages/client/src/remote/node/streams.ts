import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ByteSource } from '../byte-streams.ts';

/**
 * What a stream of Node gives, for `stdin`. Unlike the stream's own iterator it can be let go at any time: the stream is
 * then paused and not destroyed, so that `process.stdin` neither keeps the process alive nor is lost to others.
 */
export function sourceOf(readable: Readable): AsyncIterable<Uint8Array | string> & ByteSource {
  return { [Symbol.asyncIterator]: () => new ReadableIterator(readable) };
}

/** After each of these there may be something to read, or nothing any more. */
const events = ['readable', 'end', 'error', 'close'];

class ReadableIterator implements AsyncIterator<Uint8Array | string, undefined> {
  readonly #readable: Readable;
  #wake: () => void = () => {};
  #isLetGo = false;
  readonly #onEvent = (): void => this.#wake();

  constructor(readable: Readable) {
    this.#readable = readable;
    for (const event of events) readable.on(event, this.#onEvent);
  }

  async next(): Promise<IteratorResult<Uint8Array | string, undefined>> {
    while (!this.#isLetGo) {
      const chunk: Uint8Array | string | null = this.#readable.read();
      if (chunk !== null) return { done: false, value: chunk };
      const failure = this.#readable.errored;
      if (failure) {
        this.#letGo();
        throw failure;
      }
      if (this.#readable.readableEnded || this.#readable.destroyed) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#letGo();
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
    for (const event of events) this.#readable.off(event, this.#onEvent);
    this.#readable.pause();
  }
}

/** Writes to a stream of Node, for `stdout` and `stderr`, no faster than it takes. Leaves it open. */
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
