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

/** After each of these there may be no more to come. */
const ends = ['end', 'error', 'close'];

class ReadableIterator implements AsyncIterator<Uint8Array | string, undefined> {
  readonly #readable: Readable;
  /** The stream is paused whenever there is something here. */
  readonly #chunks: (Uint8Array | string)[] = [];
  #wake: () => void = () => {};
  #isLetGo = false;
  // Not by `readable` events: a stream that is read with these is not paused in the sense that lets a process end.
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
    // Nobody has seen these.
    for (const chunk of this.#chunks.splice(0).reverse()) this.#readable.unshift(chunk);
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
