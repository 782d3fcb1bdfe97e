/*
 * The WebSocket frames that the server writes and reads itself:
 * `docs/decisions/0030-websocket-frames-of-the-server.md`.
 */

export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Encodes a whole message of a server as one frame. */
export function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const headerLength = length < 126 ? 2 : length < 0x10000 ? 4 : 10;
  const bytes = Buffer.allocUnsafe(headerLength + length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = length < 126 ? length : length < 0x10000 ? 126 : 127;
  if (headerLength === 4) bytes.writeUInt16BE(length, 2);
  if (headerLength === 10) bytes.writeBigUInt64BE(BigInt(length), 2);
  bytes.set(payload, headerLength);
  return bytes;
}

/** Extracts the control frames from what a client sends. Messages of any length are skipped. */
export class ControlFrameReader {
  readonly #onControl: (opcode: number, payload: Uint8Array) => void;
  /** Received bytes that are not processed yet. Never longer than a control frame. */
  #pending = Buffer.alloc(0);
  /** The number of bytes of the current message still to be skipped. */
  #skip = 0;

  constructor(onControl: (opcode: number, payload: Uint8Array) => void) {
    this.#onControl = onControl;
  }

  push(chunk: Uint8Array): void {
    let bytes = Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length);
      this.#skip -= skipped;
      bytes = bytes.subarray(skipped);
      const header = readHeader(bytes);
      if (header === undefined || (header.isControl && bytes.length < header.size + header.length)) break;
      if (header.isControl) {
        const payload = bytes.subarray(header.size, header.size + header.length);
        const mask = bytes.subarray(header.size - 4, header.size);
        this.#onControl(header.opcode, header.isMasked ? payload.map((byte, i) => byte ^ mask[i % 4]!) : payload);
      }
      this.#skip = header.size + header.length;
    }
    this.#pending = Buffer.from(bytes);
  }
}

interface FrameHeader {
  readonly opcode: number;
  readonly isControl: boolean;
  readonly isMasked: boolean;
  /** Size of the header. */
  readonly size: number;
  /** Length of the payload. */
  readonly length: number;
}

function readHeader(bytes: Buffer): FrameHeader | undefined {
  if (bytes.length < 2) return undefined;
  const opcode = bytes[0]! & 0x0f;
  const isMasked = (bytes[1]! & 0x80) !== 0;
  const short = bytes[1]! & 0x7f;
  const lengthSize = short === 127 ? 8 : short === 126 ? 2 : 0;
  const size = 2 + lengthSize + (isMasked ? 4 : 0);
  if (bytes.length < size) return undefined;
  const length = lengthSize === 8 ? Number(bytes.readBigUInt64BE(2)) : lengthSize === 2 ? bytes.readUInt16BE(2) : short;
  // A control frame with an invalid length is skipped like a message.
  return { opcode, isControl: opcode >= opcodes.close && lengthSize === 0, isMasked, size, length };
}
