import type { Readable } from 'node:stream';
import { type ApiError, newRequestEntityTooLarge } from '@coxswain/apimachinery';

export const bodyTooLarge = (maxBytes: number): ApiError => newRequestEntityTooLarge(`limit is ${maxBytes}`);

/**
 * Reads a stream to its end. Rejects with a 413 ApiError when it is longer than `maxBytes`, and with an Error when the
 * client disconnects before the end.
 */
export function readAll(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let ended = false;
    // The listeners are not removed: the stream is discarded with its request, and removing them costs more than
    // calling them.
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else if (chunks.length > 0 || chunk.length === length) {
        // The rest of the body is read and dropped, so that the client can read the response.
        chunks.length = 0;
        reject(bodyTooLarge(maxBytes));
      }
    });
    stream.on('end', () => {
      ended = true;
      if (length <= maxBytes) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    stream.on('close', () => {
      if (!ended) reject(new Error('the client disconnected before its request was complete'));
    });
    stream.on('error', reject);
  });
}
