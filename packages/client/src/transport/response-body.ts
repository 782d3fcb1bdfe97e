import type { ResponseBody } from './transport.ts';

/** A body of bytes in memory. */
export const bodyOf = (bytes: Uint8Array): ResponseBody => new WholeBody(bytes);

class WholeBody implements ResponseBody {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#bytes.length > 0) yield this.#bytes;
  }

  cancel(): void {}
}

const nothing = new Uint8Array(0);

/** Joins chunks; the result is a Node Buffer if they are. */
export const joinChunks = (chunks: readonly Uint8Array[]): Uint8Array =>
  chunks.length <= 1 ? (chunks[0] ?? nothing) : copyChunks(chunks);

/** Like `joinChunks`, but always copies. */
export function copyChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = nothing] = chunks;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const joined = newBytesLike(first, length);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

/** Allocates uninitialized bytes of the same class as the chunk. Does not refer to Buffer, which browsers lack. */
export function newBytesLike({ constructor: kind }: Uint8Array, length: number): Uint8Array {
  return isNodes(kind) ? kind.allocUnsafe(length) : new Uint8Array(length);
}

const isNodes = (kind: object): kind is { allocUnsafe(length: number): Uint8Array } => 'allocUnsafe' in kind;
