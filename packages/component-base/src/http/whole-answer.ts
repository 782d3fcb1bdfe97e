import type { ServerResponse } from 'node:http';

/** Limit on the bytes buffered for a connection. */
const maxPendingBytes = 256 * 1024;
/** A client that reads nothing for this long is disconnected. */
const stallMs = 60_000;

/**
 * Sends a whole body no faster than the client reads it, and then calls `end`. A client that stops reading is disconnected, so that the
 * body does not stay in memory.
 */
export function sendWhole(response: ServerResponse, chunks: readonly Uint8Array[], end: () => void): void {
  const pieces = piecesOf(chunks);
  let done = false;
  const stalled = setTimeout(() => response.destroy(), stallMs);
  const send = (): void => {
    stalled.refresh();
    while (!done && response.writableLength < maxPendingBytes) {
      const { value } = pieces.next();
      if (value) response.write(value);
      else {
        done = true;
        end();
      }
    }
  };
  response.once('close', () => clearTimeout(stalled));
  response.on('drain', send);
  send();
}

function* piecesOf(chunks: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  for (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += maxPendingBytes) yield chunk.subarray(at, at + maxPendingBytes);
  return undefined;
}
