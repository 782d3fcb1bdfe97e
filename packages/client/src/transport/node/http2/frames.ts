import { errorCodes, Http2Error } from './http2-error.ts';

/** RFC 9113. */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const frameHeadBytes = 9;
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

export const goawayFrame = (code: number): Buffer => frame(frameTypes.goaway, 0, 0, 8, [0, code]);

const { data, headers, priority, resetStream, settings, pushPromise, ping, goaway, windowUpdate, continuation } =
  frameTypes;
const lengths = new Map<number, number>([
  [priority, 5],
  [resetStream, 4],
  [ping, 8],
  [windowUpdate, 4],
]);
const ofStreams: ReadonlySet<number> = new Set([data, headers, priority, resetStream, pushPromise, continuation]);
const ofConnections: ReadonlySet<number> = new Set([settings, ping, goaway]);

/** Throws an `Http2Error` for a frame that no server may send: of the wrong length, or on the wrong stream. */
export function checkFrameHead(type: number, flag: number, stream: number, length: number): void {
  if (length > smallestMaxFrame) throw new Http2Error('a frame is longer than we take', errorCodes.frameSizeError);
  if (stream === 0 ? ofStreams.has(type) : ofConnections.has(type)) {
    throw new Http2Error('a frame on a stream that it does not belong to');
  }
  const isFine =
    type === settings
      ? length % 6 === 0 && (length === 0 || (flag & flags.ack) === 0)
      : type === goaway
        ? length >= 8
        : (lengths.get(type) ?? length) === length;
  if (!isFine) throw new Http2Error('a frame has a length that it cannot have', errorCodes.frameSizeError);
}

/** The payload without what was added to hide its length; throws when that is longer than all of it. */
export function unpadded(flag: number, payload: Buffer): Buffer {
  if ((flag & flags.padded) === 0) return payload;
  const end = payload.length - (payload[0] ?? payload.length);
  if (end < 1) throw new Http2Error('a frame is padded with more than it has');
  return payload.subarray(1, end);
}
