import { flags } from './frames.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import type { HeaderField } from './hpack-static-table.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

/** Maximum size of a response's header list, encoded and decoded. Announced to the server. */
export const longestHeaderList = 256 * 1024;

/** A complete, decoded header block. */
export interface WholeHead {
  readonly stream: number;
  /** END_STREAM is set. */
  readonly isEnd: boolean;
  readonly fields: readonly HeaderField[];
}

/** Joins header blocks that are sent in several frames, between which no other frames are allowed, and decodes them. */
export class HeaderBlocks {
  readonly #decoder = new HpackDecoder(longestHeaderList);
  #partial: { readonly stream: number; readonly isEnd: boolean; readonly pieces: Buffer[]; bytes: number } | undefined;

  /** Throws an `Http2Error` when the frame interrupts a header block, or continues none. */
  checkOrder(isContinuation: boolean, stream: number): void {
    if (this.#partial) {
      if (!isContinuation || stream !== this.#partial.stream) throw new Http2Error('a header block is interrupted');
    } else if (isContinuation) throw new Http2Error('CONTINUATION without HEADERS');
  }

  /**
   * Starts a block with a HEADERS frame. The piece is only valid during the call. Returns undefined while the block is
   * incomplete.
   */
  begin(flag: number, stream: number, piece: Buffer): WholeHead | undefined {
    this.#partial = { stream, isEnd: (flag & flags.endStream) !== 0, pieces: [], bytes: 0 };
    return this.goOn(flag, piece);
  }

  /** Continues a block with a CONTINUATION frame. */
  goOn(flag: number, piece: Buffer): WholeHead | undefined {
    const partial = this.#partial!;
    const isLast = (flag & flags.endHeaders) !== 0;
    // Copied if it must be kept.
    partial.pieces.push(isLast ? piece : Buffer.from(piece));
    partial.bytes += piece.length;
    if (partial.bytes > longestHeaderList) {
      throw new Http2Error('a header block is too long', errorCodes.enhanceYourCalm);
    }
    if (!isLast) return undefined;
    this.#partial = undefined;
    const { stream, isEnd, pieces } = partial;
    return { stream, isEnd, fields: this.#decoder.decode(pieces.length === 1 ? piece : Buffer.concat(pieces)) };
  }
}
