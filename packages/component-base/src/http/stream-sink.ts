import type { Writable } from 'node:stream';
import type { ResponseSink } from './handler.ts';

/** A response body written to a Node stream. */
export class StreamSink implements ResponseSink {
  readonly #stream: Writable;
  readonly #cut: () => void;

  /** `cut` ends the stream in a way that the client sees that the response is incomplete. */
  constructor(stream: Writable, cut: () => void) {
    this.#stream = stream;
    this.#cut = cut;
  }

  get pendingBytes(): number {
    return this.#stream.writableLength;
  }

  write(chunk: Uint8Array, sent?: () => void): boolean {
    const stream = this.#stream;
    if (!stream.writable || stream.destroyed || stream.writableEnded) return true;
    return stream.write(chunk, sent && ((error) => error || sent()));
  }

  onDrain(callback: () => void): void {
    this.#stream.on('drain', callback);
  }

  onClose(callback: () => void): void {
    if (this.#stream.destroyed) queueMicrotask(callback);
    else this.#stream.once('close', callback);
  }

  end(): void {
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.end();
  }

  destroy(): void {
    this.#cut();
  }
}
