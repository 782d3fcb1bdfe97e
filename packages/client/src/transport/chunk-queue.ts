import { onAbort } from '@coxswain/apimachinery/abort';
import { copyChunks, joinChunks } from './response-body.ts';
import { type ResponseBody, TransportError } from './transport.ts';

/** When this many bytes are buffered, the writer is told to pause. */
const highWaterMark = 256 * 1024;

interface Chunk {
  bytes: Uint8Array;
  readonly sent: (() => void) | undefined;
}

/** A body that is written while it is read: a sink on one side, a `ResponseBody` on the other, with backpressure. */
export class ChunkQueue implements ResponseBody {
  #chunks: Chunk[] = [];
  #pendingBytes = 0;
  #state: 'open' | 'ended' | 'broken' | 'cancelled' = 'open';
  #failure: unknown;
  #wake: (() => void) | undefined;
  readonly #onDrain: (() => void)[] = [];
  /** The writer was told to pause. */
  #isFull = false;
  #onClose: (() => void)[] = [];
  readonly #unlink: () => void;

  constructor(signal?: AbortSignal) {
    this.#unlink = onAbort(signal, () => this.#finish('broken', signal?.reason));
    if (signal?.aborted) this.#finish('broken', signal.reason);
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    if (this.#state !== 'open' || bytes.length === 0) return true;
    this.#chunks.push({ bytes, sent });
    this.#pendingBytes += bytes.length;
    this.#notify();
    if (this.#pendingBytes >= highWaterMark) this.#isFull = true;
    return !this.#isFull;
  }

  /**
   * Extends the last written chunk `last` to `longer`, which begins at the same position of the same memory, so that
   * many small pieces do not become as many chunks. Returns undefined and does nothing if the reader has already taken
   * that chunk; otherwise returns the same as `write`.
   */
  extend(last: Uint8Array, longer: Uint8Array): boolean | undefined {
    const chunk = this.#chunks.at(-1);
    if (this.#state !== 'open' || !chunk || chunk.bytes !== last) return undefined;
    chunk.bytes = longer;
    this.#pendingBytes += longer.length - last.length;
    if (this.#pendingBytes >= highWaterMark) this.#isFull = true;
    return !this.#isFull;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Calls back whenever a paused writer may continue. */
  onDrain(callback: () => void): void {
    this.#onDrain.push(callback);
  }

  onClose(callback: () => void): void {
    if (this.#state === 'open') this.#onClose.push(callback);
    else callback();
  }

  end(): void {
    this.#finish('ended');
  }

  destroy(): void {
    this.fail(new TransportError('the server aborted the response'));
  }

  /** The buffered chunks can still be read; then reading throws the reason. */
  fail(reason: unknown): void {
    this.#finish('broken', reason);
  }

  cancel(): void {
    this.#take();
    this.#finish('cancelled');
  }

  async bytes(): Promise<Uint8Array> {
    const all: Uint8Array[] = [];
    for await (const chunk of this.chunks()) all.push(chunk);
    return joinChunks(all);
  }

  async *chunks({ borrowed = false }: { readonly borrowed?: boolean } = {}): AsyncIterable<Uint8Array> {
    try {
      do {
        for (let taken = this.#take(); taken.length > 0; taken = this.#take()) {
          for (const { bytes, sent } of taken) {
            // After `sent` the writer may reuse the memory.
            const own = sent && !borrowed ? copyChunks([bytes]) : bytes;
            if (!borrowed) sent?.();
            yield own;
            if (borrowed) sent?.();
          }
          this.#drained();
        }
      } while (await this.#more());
    } finally {
      this.cancel();
    }
  }

  /** Waits for the next chunk. Returns false at the end; throws after a failure. */
  async #more(): Promise<boolean> {
    if (this.#state === 'broken') throw this.#failure;
    if (this.#state !== 'open') return false;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return true;
  }

  #drained(): void {
    if (!this.#isFull || this.#state !== 'open') return;
    this.#isFull = false;
    for (const callback of this.#onDrain) callback();
  }

  #take(): Chunk[] {
    const taken = this.#chunks;
    this.#chunks = [];
    this.#pendingBytes = 0;
    return taken;
  }

  #finish(state: 'ended' | 'broken' | 'cancelled', failure?: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#failure = failure;
    this.#unlink();
    for (const callback of this.#onClose.splice(0)) callback();
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
