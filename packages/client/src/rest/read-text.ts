import { joinChunks } from '../transport/response-body.ts';
import type { ResponseBody } from '../transport/transport.ts';

const decoder = new TextDecoder();
// After the first piece it is not the sign of a beginning.
const goingOn = new TextDecoder(undefined, { ignoreBOM: true });
const nothing = new Uint8Array(0);

/**
 * The body as a text, and how many bytes it was. It is never there in one piece as bytes: memory for so many is not what the system
 * gets back easily, and a list may have megabytes.
 */
export async function readText(body: ResponseBody): Promise<{ readonly text: string; readonly size: number }> {
  const parts: string[] = [];
  let size = 0;
  /** The beginning of a character. */
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

/** Where the last character begins, if it is not whole, else the end. */
function endOfCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let at = length - 1; at >= 0 && at > length - 4; at--) {
    const byte = bytes[at]!;
    const isFirst = (byte & 0xc0) !== 0x80;
    if (isFirst) return at + lengthOf(byte) > length ? at : length;
  }
  return length;
}

/** Of a character in UTF-8 that begins so. */
const lengthOf = (byte: number): number => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
