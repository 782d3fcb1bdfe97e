import type { Readable } from 'node:stream';
import { type ApiError, newRequestEntityTooLarge } from '@coxswain/apimachinery';

export const bodyTooLarge = (maxBytes: number): ApiError => newRequestEntityTooLarge(`limit is ${maxBytes}`);

/** Reads a stream to its end, but no further than the limit. A client that leaves half way is an Error. */
export function readAll(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (end: () => void): void => {
      stream.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      end();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes) {
        settle(() => reject(bodyTooLarge(maxBytes)));
        // What still comes is let go by, so that the answer can be read.
        stream.resume();
      } else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const onGone = (): void => settle(() => reject(new Error('the client went away before its request was complete')));
    stream.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
