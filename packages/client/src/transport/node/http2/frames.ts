import { TransportError } from '../../transport.ts';

/** RFC 9113. */
export const frameTypes = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;
export const settings = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;
export const errorCodes = { noError: 0, refusedStream: 7, cancel: 8 } as const;

const frameHeadBytes = 9;
/** What both sides take at least, and we take at most. */
export const smallestMaxFrame = 16_384;
/** What comes first from a client. */
export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** The head of a frame, or all of it when it has no more than `payload`. */
export function frame(
  type: number,
  flag: number,
  stream: number,
  length: number,
  payload: readonly number[] = [],
): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeadBytes + payload.length * 4);
  bytes.writeUIntBE(length, 0, 3);
  bytes[3] = type;
  bytes[4] = flag;
  bytes.writeUInt32BE(stream, 5);
  let at = frameHeadBytes;
  for (const word of payload) at = bytes.writeUInt32BE(word >>> 0, at);
  return bytes;
}

export const windowUpdateFrame = (stream: number, bytes: number): Buffer =>
  frame(frameTypes.windowUpdate, 0, stream, 4, [bytes]);

export const resetFrame = (stream: number, code: number): Buffer => frame(frameTypes.resetStream, 0, stream, 4, [code]);

/** What the reader found, in order. The bytes are only lent. */
export interface FrameEvents {
  /** A piece of a DATA frame without padding. */
  onData(stream: number, piece: Buffer, isEnd: boolean): void;
  onFrame(type: number, flag: number, stream: number, payload: Buffer): void;
}

const empty = Buffer.alloc(0);

/** Cuts what the server sends, in pieces of any size, into frames. */
export class FrameReader {
  readonly #events: FrameEvents;
  /** Of a frame that is not whole. */
  #kept: Buffer = empty;
  /** Of the DATA frame that is passed on as it comes. */
  #dataLeft = 0;
  #dataStream = 0;
  #dataEnds = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  /** Throws a `TransportError` for a frame that is too long. The chunk is not held. */
  push(chunk: Buffer): void {
    const bytes = this.#kept.length > 0 ? Buffer.concat([this.#kept, chunk]) : chunk;
    this.#kept = empty;
    for (let at = 0; at < bytes.length; ) {
      if (this.#dataLeft > 0) {
        at = this.#passOn(bytes, at);
        continue;
      }
      if (bytes.length - at < frameHeadBytes) {
        this.#kept = Buffer.from(bytes.subarray(at));
        return;
      }
      const length = bytes.readUIntBE(at, 3);
      if (length > smallestMaxFrame) throw malformed('a frame is longer than we take');
      const type = bytes[at + 3]!;
      const flag = bytes[at + 4]!;
      const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      if (type === frameTypes.data && (flag & flags.padded) === 0 && length > 0) {
        this.#dataLeft = length;
        this.#dataStream = stream;
        this.#dataEnds = (flag & flags.endStream) !== 0;
        at += frameHeadBytes;
        continue;
      }
      const end = at + frameHeadBytes + length;
      if (end > bytes.length) {
        this.#kept = Buffer.from(bytes.subarray(at));
        return;
      }
      this.#events.onFrame(type, flag, stream, bytes.subarray(at + frameHeadBytes, end));
      at = end;
    }
  }

  #passOn(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#dataLeft);
    this.#dataLeft -= end - at;
    this.#events.onData(this.#dataStream, bytes.subarray(at, end), this.#dataEnds && this.#dataLeft === 0);
    return end;
  }
}

/** The payload without what was added to hide its length; throws when that is longer than all of it. */
export function unpadded(flag: number, payload: Buffer): Buffer {
  if ((flag & flags.padded) === 0) return payload;
  const end = payload.length - (payload[0] ?? payload.length);
  if (end < 1) throw malformed('a frame is padded with more than it has');
  return payload.subarray(1, end);
}

export const malformed = (message: string): TransportError =>
  new TransportError(`the server breaks HTTP/2: ${message}`, { code: 'EPROTO' });
