import { errorCodes, Http2Error } from './http2-error.ts';

/** Frame types of RFC 9113. */
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
/** The minimum of SETTINGS_MAX_FRAME_SIZE, which is also our maximum. */
export const smallestMaxFrame = 16_384;
/** The connection preface of a client. */
export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** Returns the head of a frame, or the whole frame if `payload` is all of its payload. */
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

/** Throws an `Http2Error` for a frame with an invalid length or on a wrong stream. */
export function checkFrameHead(type: number, flag: number, stream: number, length: number): void {
  if (length > smallestMaxFrame) throw new Http2Error('a frame is too long', errorCodes.frameSizeError);
  if (stream === 0 ? ofStreams.has(type) : ofConnections.has(type)) {
    throw new Http2Error('a frame on a wrong stream');
  }
  const isFine =
    type === settings
      ? length % 6 === 0 && (length === 0 || (flag & flags.ack) === 0)
      : type === goaway
        ? length >= 8
        : (lengths.get(type) ?? length) === length;
  if (!isFine) throw new Http2Error('a frame has an invalid length', errorCodes.frameSizeError);
}

/** Returns the payload without padding; throws when the padding is longer than the payload. */
export function unpadded(flag: number, payload: Buffer): Buffer {
  if ((flag & flags.padded) === 0) return payload;
  const end = payload.length - (payload[0] ?? payload.length);
  if (end < 1) throw new Http2Error('the padding is longer than the frame');
  return payload.subarray(1, end);
}
