import type { Readable } from 'node:stream';
import { type ApiError, newRequestEntityTooLarge } from '@coxswain/apimachinery';

export const bodyTooLarge = (maxBytes: number): ApiError => newRequestEntityTooLarge(`limit is ${maxBytes}`);

/** Reads a stream to its end, but no further than the limit. A client that leaves half way is an Error. */
export function readAll(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let ended = false;
    // Listeners stay: the stream goes when its request does, and taking them off costs more than calling them.
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else if (chunks.length > 0 || chunk.length === length) {
        // What still comes is let go by, so that the answer can be read.
        chunks.length = 0;
        reject(bodyTooLarge(maxBytes));
      }
    });
    stream.on('end', () => {
      ended = true;
      if (length <= maxBytes) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    stream.on('close', () => {
      if (!ended) reject(new Error('the client went away before its request was complete'));
    });
    stream.on('error', reject);
  });
}
