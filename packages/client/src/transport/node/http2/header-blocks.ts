import { flags } from './frames.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import type { HeaderField } from './hpack-static-table.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

/** More is no head of an answer, neither as it is sent nor decoded. The server is told so. */
export const longestHeaderList = 256 * 1024;

/** The fields of a head that is whole. */
export interface WholeHead {
  readonly stream: number;
  /** There is nothing after it. */
  readonly isEnd: boolean;
  readonly fields: readonly HeaderField[];
}

/** Joins the heads of answers that come in several frames, between which there can be no others; and decodes them. */
export class HeaderBlocks {
  readonly #decoder = new HpackDecoder(longestHeaderList);
  #partial: { readonly stream: number; readonly isEnd: boolean; readonly pieces: Buffer[]; bytes: number } | undefined;

  /** Throws an `Http2Error` when the frame comes between those of a head. */
  checkOrder(isContinuation: boolean, stream: number): void {
    if (this.#partial) {
      if (!isContinuation || stream !== this.#partial.stream) throw new Http2Error('a head is interrupted');
    } else if (isContinuation) throw new Http2Error('a head goes on that has not begun');
  }

  /** With a HEADERS frame. The piece is only lent. Undefined while there is more to come. */
  begin(flag: number, stream: number, piece: Buffer): WholeHead | undefined {
    this.#partial = { stream, isEnd: (flag & flags.endStream) !== 0, pieces: [], bytes: 0 };
    return this.goOn(flag, piece);
  }

  /** With a CONTINUATION frame. */
  goOn(flag: number, piece: Buffer): WholeHead | undefined {
    const partial = this.#partial!;
    const isLast = (flag & flags.endHeaders) !== 0;
    // A copy, where it must wait for the rest.
    partial.pieces.push(isLast ? piece : Buffer.from(piece));
    partial.bytes += piece.length;
    if (partial.bytes > longestHeaderList) {
      throw new Http2Error('the head of an answer is too long', errorCodes.enhanceYourCalm);
    }
    if (!isLast) return undefined;
    this.#partial = undefined;
    const { stream, isEnd, pieces } = partial;
    return { stream, isEnd, fields: this.#decoder.decode(pieces.length === 1 ? piece : Buffer.concat(pieces)) };
  }
}
