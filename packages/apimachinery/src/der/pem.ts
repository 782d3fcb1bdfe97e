import { decodeBase64, encodeBase64 } from '../schema/base64.ts';
import { trimRight } from '../validation/trim.ts';

/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const begin = '-----BEGIN ';
const end = '\n-----END ';
const dashes = '-----';

/** Returns the text of a block without headers, as Go's encoder writes it. */
export const pemText = (type: string, bytes: Uint8Array): string =>
  `${begin}${type}${dashes}\n${encodeBase64(bytes).replace(/.{1,64}/g, '$&\n')}-----END ${type}${dashes}\n`;

/** Returns the line at an offset, without the white space at its end, and the offset of the next line. */
function lineAt(text: string, at: number): { line: string; next: number } {
  const newline = text.indexOf('\n', at);
  const stop = newline < 0 ? text.length : newline;
  const line = text.slice(at, stop > at && text[stop - 1] === '\r' ? stop - 1 : stop);
  return { line: trimRight(line, ' \t'), next: newline < 0 ? text.length : newline + 1 };
}

/**
 * Yields the blocks of a PEM text, in order. Text outside blocks and malformed blocks are skipped. As in Go's decoder, a block begins at
 * the last BEGIN marker before an END marker.
 */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let from = 0;
  for (let stop = text.indexOf(end); stop >= 0; stop = text.indexOf(end, from)) {
    const found = blockBefore(text, from, stop);
    from = found?.next ?? stop + end.length;
    if (found) yield found.block;
  }
}

function blockBefore(text: string, from: number, stop: number): { block: PemBlock; next: number } | undefined {
  // The search does not go back beyond the previous END marker: otherwise a text with many of them would be searched from its start for
  // each.
  const start = text.slice(from, stop).lastIndexOf(begin) + from;
  if (start < from || (start > from && text[start - 1] !== '\n')) return undefined;
  const head = lineAt(text, start + begin.length);
  if (!head.line.endsWith(dashes)) return undefined;
  const type = head.line.slice(0, -dashes.length);
  const tail = lineAt(text, stop + end.length);
  if (tail.line !== `${type}${dashes}`) return undefined;
  let body = head.next;
  for (let header = lineAt(text, body); body <= stop && header.line.includes(':'); header = lineAt(text, body))
    body = header.next;
  const hasHeaders = body > head.next;
  if (hasHeaders && body > stop) return undefined;
  try {
    const bytes = decodeBase64(text.slice(body, Math.max(body, stop)).replace(/[ \t\r\n]/g, ''));
    return { block: { type, hasHeaders, bytes }, next: tail.next };
  } catch {
    return undefined;
  }
}
