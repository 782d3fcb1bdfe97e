import type { ServerResponse } from 'node:http';

/** So much may be handed to a connection before the client has taken it. */
const maxPendingBytes = 256 * 1024;
/** A client that takes nothing for so long is cut off. */
const stallMs = 60_000;

/**
 * Sends a whole body no faster than the client takes it, and then calls `end`. A client that stops taking it is cut off,
 * so that what it leaves is not kept for ever.
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
