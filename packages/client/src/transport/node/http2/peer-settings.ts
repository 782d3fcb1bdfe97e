import { smallestMaxFrame } from './frames.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

/** Settings of RFC 9113, 6.5.2. */
const settings = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;
const settingBytes = 6;
export const largestWindow = 2 ** 31 - 1;
const largestMaxFrame = 2 ** 24 - 1;

/** The values of a SETTINGS frame that we use; the last value of a setting counts. */
export interface PeerSettings {
  headerTableSize?: number;
  maxConcurrentStreams?: number;
  initialWindowSize?: number;
  maxFrameSize?: number;
}

/** Parses a SETTINGS frame. Throws an `Http2Error` for invalid values. Other settings are ignored. */
export function readSettings(payload: Buffer): PeerSettings {
  const found: PeerSettings = {};
  for (let at = 0; at < payload.length; at += settingBytes) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case settings.headerTableSize:
        found.headerTableSize = value;
        break;
      case settings.enablePush:
        if (value !== 0) throw new Http2Error('a server must not set ENABLE_PUSH');
        break;
      case settings.maxConcurrentStreams:
        found.maxConcurrentStreams = value;
        break;
      case settings.initialWindowSize:
        if (value > largestWindow) throw new Http2Error('a window is too large', errorCodes.flowControlError);
        found.initialWindowSize = value;
        break;
      case settings.maxFrameSize:
        if (value < smallestMaxFrame || value > largestMaxFrame) throw new Http2Error('an invalid maximum frame size');
        found.maxFrameSize = value;
        break;
      default:
    }
  }
  return found;
}

/** The payload of our SETTINGS frame. */
export function ownSettings(initialWindowSize: number, maxHeaderListSize: number): Buffer {
  const wanted = [
    [settings.enablePush, 0],
    [settings.initialWindowSize, initialWindowSize],
    [settings.maxHeaderListSize, maxHeaderListSize],
  ] as const;
  const payload = Buffer.alloc(wanted.length * settingBytes);
  wanted.forEach(([setting, value], index) => {
    payload.writeUInt16BE(setting, index * settingBytes);
    payload.writeUInt32BE(value, index * settingBytes + 2);
  });
  return payload;
}
