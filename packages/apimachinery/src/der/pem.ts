import { decodeBase64, encodeBase64 } from '../schema/base64.ts';
import { trimRight } from '../validation/trim.ts';

/** One of the things that a PEM text is made of. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const begin = '-----BEGIN ';
const end = '\n-----END ';
const dashes = '-----';

/** The text of a block without headers, as Go's encoder writes it. */
export const pemText = (type: string, bytes: Uint8Array): string =>
  `${begin}${type}${dashes}\n${encodeBase64(bytes).replace(/.{1,64}/g, '$&\n')}-----END ${type}${dashes}\n`;

/** One line, without the white space at its end, and where the next begins. */
function lineAt(text: string, at: number): { line: string; next: number } {
  const newline = text.indexOf('\n', at);
  const stop = newline < 0 ? text.length : newline;
  const line = text.slice(at, stop > at && text[stop - 1] === '\r' ? stop - 1 : stop);
  return { line: trimRight(line, ' \t'), next: newline < 0 ? text.length : newline + 1 };
}

/**
 * The blocks of a PEM text, in order. What is no block, or a broken one, is passed over, as Go's decoder does: for each
 * end the last beginning before it counts.
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
  // No further back than the end before: else many ends would each look through all of the text.
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
