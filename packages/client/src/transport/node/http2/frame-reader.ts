import { checkFrameHead, flags, frameHeadBytes, frameTypes, smallestMaxFrame } from './frames.ts';

/** What the reader found, in order. The bytes are only lent. */
export interface FrameEvents {
  /** A piece of a DATA frame without padding. */
  onData(stream: number, piece: Buffer, isEnd: boolean): void;
  /** Any other frame; its length is one that its type can have, and it is on a stream where it may be. */
  onFrame(type: number, flag: number, stream: number, payload: Buffer): void;
}

/**
 * Cuts what the server sends, in pieces of any size, into frames. Holds one frame at most, always in the same memory. DATA is passed on
 * as it comes.
 */
export class FrameReader {
  readonly #events: FrameEvents;
  /** What has come of a frame that is not whole. */
  #kept: Buffer | undefined;
  #keptBytes = 0;
  /** Of the DATA frame that is passed on as it comes. */
  #dataLeft = 0;
  #dataStream = 0;
  #dataEnds = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  /** Throws an `Http2Error` for a frame that no server may send. The chunk is not held. */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#dataLeft > 0) at = this.#passOn(chunk, at);
      else if (this.#keptBytes > 0) at = this.#complete(chunk, at);
      else at = this.#begin(chunk, at);
    }
  }

  /** At the first byte of a frame. */
  #begin(chunk: Buffer, at: number): number {
    if (chunk.length - at < frameHeadBytes) return this.#keep(chunk, at, chunk.length);
    const length = this.#readHead(chunk, at);
    const start = at + frameHeadBytes;
    if (this.#dataLeft > 0) return start;
    if (start + length > chunk.length) return this.#keep(chunk, at, chunk.length);
    this.#report(chunk, at, length);
    return start + length;
  }

  /** Within a frame of which some was kept: as much more as its head needs, and then all of it. */
  #complete(chunk: Buffer, at: number): number {
    const kept = this.#kept!;
    const wanted = this.#keptBytes < frameHeadBytes ? frameHeadBytes : frameHeadBytes + kept.readUIntBE(0, 3);
    const end = this.#keep(chunk, at, Math.min(chunk.length, at + wanted - this.#keptBytes));
    if (this.#keptBytes < wanted) return end;
    const length = wanted === frameHeadBytes ? this.#readHead(kept, 0) : wanted - frameHeadBytes;
    if (this.#dataLeft > 0) this.#keptBytes = 0;
    else if (this.#keptBytes === frameHeadBytes + length) {
      this.#keptBytes = 0;
      this.#report(kept, 0, length);
    }
    return end;
  }

  #keep(chunk: Buffer, from: number, to: number): number {
    this.#kept ??= Buffer.allocUnsafeSlow(frameHeadBytes + smallestMaxFrame);
    chunk.copy(this.#kept, this.#keptBytes, from, to);
    this.#keptBytes += to - from;
    return to;
  }

  /** The length of the frame; of DATA without padding, the reader knows from now on what is left of it. */
  #readHead(bytes: Buffer, at: number): number {
    const length = bytes.readUIntBE(at, 3);
    const type = bytes[at + 3]!;
    const flag = bytes[at + 4]!;
    const stream = streamOf(bytes, at);
    checkFrameHead(type, flag, stream, length);
    if (type === frameTypes.data && (flag & flags.padded) === 0) {
      this.#dataLeft = length;
      this.#dataStream = stream;
      this.#dataEnds = (flag & flags.endStream) !== 0;
    }
    return length;
  }

  #report(bytes: Buffer, at: number, length: number): void {
    const start = at + frameHeadBytes;
    this.#events.onFrame(bytes[at + 3]!, bytes[at + 4]!, streamOf(bytes, at), bytes.subarray(start, start + length));
  }

  #passOn(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#dataLeft);
    this.#dataLeft -= end - at;
    this.#events.onData(this.#dataStream, bytes.subarray(at, end), this.#dataEnds && this.#dataLeft === 0);
    return end;
  }
}

const streamOf = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at + 5) & 0x7fffffff;
