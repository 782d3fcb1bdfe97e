import { checkFrameHead, flags, frameHeadBytes, frameTypes, smallestMaxFrame } from './frames.ts';

/** Receives the frames in order. The bytes are only valid during the call. */
export interface FrameEvents {
  /** Part of a DATA frame without padding. */
  onData(stream: number, piece: Buffer, isEnd: boolean): void;
  /** Any other frame, with a length and a stream that are valid for its type. */
  onFrame(type: number, flag: number, stream: number, payload: Buffer): void;
}

/**
 * Splits chunks of any size into frames. Buffers at most one frame, always in the same memory. DATA is passed on as it
 * is received.
 */
export class FrameReader {
  readonly #events: FrameEvents;
  /** The received part of an incomplete frame. */
  #kept: Buffer | undefined;
  #keptBytes = 0;
  /** Remaining bytes of the DATA frame that is being passed on. */
  #dataLeft = 0;
  #dataStream = 0;
  #dataEnds = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  /** Throws an `Http2Error` for an invalid frame. The chunk is not retained. */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#dataLeft > 0) at = this.#passOn(chunk, at);
      else if (this.#keptBytes > 0) at = this.#complete(chunk, at);
      else at = this.#begin(chunk, at);
    }
  }

  /** Reads from the first byte of a frame. */
  #begin(chunk: Buffer, at: number): number {
    if (chunk.length - at < frameHeadBytes) return this.#keep(chunk, at, chunk.length);
    const length = this.#readHead(chunk, at);
    const start = at + frameHeadBytes;
    if (this.#dataLeft > 0) return start;
    if (start + length > chunk.length) return this.#keep(chunk, at, chunk.length);
    this.#report(chunk, at, length);
    return start + length;
  }

  /** Continues a buffered frame: first its head, then the rest. */
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

  /** Returns the length of the frame. For DATA without padding, also sets the state for passing it on. */
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
