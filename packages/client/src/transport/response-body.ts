import type { ResponseBody } from './transport.ts';

/** A body that is already there. */
export function bodyOf(bytes: Uint8Array): ResponseBody {
  return {
    bytes: async () => bytes,
    async *chunks() {
      if (bytes.length > 0) yield bytes;
    },
    cancel() {},
  };
}

/** Chunks put together; in Node, a buffer as they are. */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const joined = newBytes(length);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

/** Of any content. */
const { Buffer: nodeBuffer }: { readonly Buffer?: { allocUnsafe(length: number): Uint8Array } } = globalThis;
const newBytes = (length: number): Uint8Array => nodeBuffer?.allocUnsafe(length) ?? new Uint8Array(length);
