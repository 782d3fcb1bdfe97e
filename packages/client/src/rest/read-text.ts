import { joinChunks } from '../transport/response-body.ts';
import type { ResponseBody } from '../transport/transport.ts';

const decoder = new TextDecoder();
// A BOM is significant only in the first chunk.
const goingOn = new TextDecoder(undefined, { ignoreBOM: true });
const nothing = new Uint8Array(0);

/**
 * Returns the body as text, and its size in bytes. The bytes are never joined into one buffer: a list may have
 * megabytes, and such large buffers are not returned to the system easily.
 */
export async function readText(body: ResponseBody): Promise<{ readonly text: string; readonly size: number }> {
  const parts: string[] = [];
  let size = 0;
  /** An incomplete character at the end of the last chunk. */
  let cut: Uint8Array = nothing;
  for await (const chunk of body.chunks({ borrowed: true })) {
    size += chunk.length;
    const bytes = cut.length > 0 ? joinChunks([cut, chunk]) : chunk;
    const end = endOfCharacters(bytes);
    if (end > 0) parts.push((parts.length === 0 ? decoder : goingOn).decode(bytes.subarray(0, end)));
    cut = end < bytes.length ? new Uint8Array(bytes.subarray(end)) : nothing;
  }
  if (cut.length > 0) parts.push(goingOn.decode(cut));
  return { text: parts.join(''), size };
}

/** The start of the last character if it is incomplete, otherwise the end. */
function endOfCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let at = length - 1; at >= 0 && at > length - 4; at--) {
    const byte = bytes[at]!;
    const isFirst = (byte & 0xc0) !== 0x80;
    if (isFirst) return at + lengthOf(byte) > length ? at : length;
  }
  return length;
}

/** The number of bytes of a UTF-8 character with this first byte. */
const lengthOf = (byte: number): number => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
