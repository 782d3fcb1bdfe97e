/** A received SPDY/3.1 frame, as far as Kubernetes' clients and servers need it. */
export type SpdyFrame =
  /** A new stream. Its headers are compressed: `readHeaderBlock` reads them when they are decompressed. */
  | { readonly type: 'open'; readonly stream: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'data'; readonly stream: number; readonly fin: boolean; readonly bytes: Uint8Array }
  | { readonly type: 'reply'; readonly stream: number; readonly fin: boolean }
  | { readonly type: 'headers'; readonly stream: number; readonly fin: boolean }
  | { readonly type: 'reset'; readonly stream: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway' }
  /** Frames that can be ignored. */
  | { readonly type: 'other' };

const controlType = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7, headers: 8 } as const;
/** The first two bytes of control frames: the control bit and the version. */
const controlVersion = 0x8003;
const flagFin = 1;

/** Status CANCEL of RST_STREAM: the stream is no longer needed. */
export const resetCancel = 5;

const headBytes = 8;
/** The Adler-32 checksum of SPDY's header dictionary. */
const dictionaryId = 0xe3c6a7c2;
const maxStoredBytes = 0xffff;

/** SYN_STREAM opens a stream. `isFirst`: no headers were sent on this connection before. */
export function synStream(
  stream: number,
  headers: Readonly<Record<string, string>>,
  options: { readonly isFirst: boolean; readonly fin: boolean },
): Uint8Array {
  const block = storedHeaders(headers, options.isFirst);
  const frame = control(controlType.synStream, options.fin ? flagFin : 0, 10 + block.length);
  new DataView(frame.buffer).setUint32(headBytes, stream);
  frame.set(block, headBytes + 10);
  return frame;
}

/** SYN_REPLY accepts a stream. `isFirst`: no headers were sent on this connection before. */
export function synReply(stream: number, options: { readonly isFirst: boolean }): Uint8Array {
  const block = storedHeaders({}, options.isFirst);
  const frame = control(controlType.synReply, 0, 4 + block.length);
  new DataView(frame.buffer).setUint32(headBytes, stream);
  frame.set(block, headBytes + 4);
  return frame;
}

export function rstStream(stream: number, status: number): Uint8Array {
  const frame = control(controlType.rstStream, 0, 8);
  const view = new DataView(frame.buffer);
  view.setUint32(headBytes, stream);
  view.setUint32(headBytes + 4, status);
  return frame;
}

export function ping(id: number): Uint8Array {
  const frame = control(controlType.ping, 0, 4);
  new DataView(frame.buffer).setUint32(headBytes, id);
  return frame;
}

export function goAway(): Uint8Array {
  return control(controlType.goAway, 0, 8);
}

export function dataFrame(stream: number, bytes: Uint8Array, fin: boolean): Uint8Array {
  const frame = new Uint8Array(headBytes + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, stream);
  view.setUint32(4, ((fin ? flagFin : 0) << 24) | bytes.length);
  frame.set(bytes, headBytes);
  return frame;
}

function control(type: number, flags: number, length: number): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(headBytes + length);
  const view = new DataView(frame.buffer);
  view.setUint16(0, controlVersion);
  view.setUint16(2, type);
  view.setUint32(4, ((flags << 24) | length) >>> 0);
  return frame;
}

/**
 * Encodes a header block. SPDY uses one zlib stream for all blocks of a connection; here it consists of stored blocks
 * only, because a few dozen bytes are not worth a compressor. The empty stored block at the end flushes the reader's
 * decompressor.
 */
function storedHeaders(headers: Readonly<Record<string, string>>, isFirst: boolean): Uint8Array {
  const content = headerBlock(headers);
  if (content.length > maxStoredBytes) throw new RangeError('headers are too long');
  const start = isFirst ? 6 : 0;
  const block = new Uint8Array(start + 5 + content.length + 5);
  const view = new DataView(block.buffer);
  if (isFirst) {
    // zlib header: 32 KiB window, preset dictionary.
    view.setUint16(0, 0x7820);
    view.setUint32(2, dictionaryId);
  }
  view.setUint16(start + 1, content.length, true);
  view.setUint16(start + 3, ~content.length & 0xffff, true);
  block.set(content, start + 5);
  view.setUint16(block.length - 2, 0xffff);
  return block;
}

function headerBlock(headers: Readonly<Record<string, string>>): Uint8Array {
  const encoder = new TextEncoder();
  const fields = Object.entries(headers)
    .flat()
    .map((field) => encoder.encode(field));
  const block = new Uint8Array(fields.reduce((length, field) => length + 4 + field.length, 4));
  const view = new DataView(block.buffer);
  view.setUint32(0, fields.length / 2);
  let at = 4;
  for (const field of fields) {
    view.setUint32(at, field.length);
    block.set(field, at + 4);
    at += 4 + field.length;
  }
  return block;
}

/** Reads an uncompressed header block. Names are in lower case. Throws when it is cut. */
export function readHeaderBlock(block: Uint8Array): ReadonlyMap<string, string> {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const decoder = new TextDecoder();
  let at = 4;
  const field = (): string => {
    const length = view.getUint32(at);
    if (at + 4 + length > block.length) throw new Error('a header block of SPDY is cut');
    const text = decoder.decode(block.subarray(at + 4, at + 4 + length));
    at += 4 + length;
    return text;
  };
  const headers = new Map<string, string>();
  for (let left = view.getUint32(0); left > 0; left--) headers.set(field().toLowerCase(), field());
  return headers;
}

/** Parses frames from chunks of any size. Buffers at most one incomplete frame. */
export class SpdyFrameReader {
  #rest = new Uint8Array(0);

  /** Returns the frames completed by these bytes. Throws when a frame has another protocol version. */
  *read(bytes: Uint8Array): Generator<SpdyFrame, void, undefined> {
    let pending = bytes;
    if (this.#rest.length > 0) {
      pending = new Uint8Array(this.#rest.length + bytes.length);
      pending.set(this.#rest);
      pending.set(bytes, this.#rest.length);
    }
    let at = 0;
    while (pending.length - at >= headBytes) {
      const view = new DataView(pending.buffer, pending.byteOffset + at, pending.length - at);
      if ((view.getUint8(0) & 0x80) !== 0 && view.getUint16(0) !== controlVersion)
        throw new Error('not a frame of SPDY/3.1');
      const length = view.getUint32(4) & 0xffffff;
      if (pending.length - at < headBytes + length) break;
      yield toFrame(view, pending.subarray(at + headBytes, at + headBytes + length));
      at += headBytes + length;
    }
    this.#rest = pending.slice(at);
  }
}

function toFrame(view: DataView, payload: Uint8Array): SpdyFrame {
  const first = view.getUint32(0);
  const fin = (view.getUint8(4) & flagFin) !== 0;
  if (first < 0x80000000) return { type: 'data', stream: first, fin, bytes: payload };
  const word = (index: number) => (payload.length >= 4 * (index + 1) ? view.getUint32(headBytes + 4 * index) : 0);
  switch (first & 0xffff) {
    case controlType.synStream:
      return { type: 'open', stream: word(0), fin, block: payload.subarray(10) };
    // The headers of replies are not needed, so they are not decompressed.
    case controlType.synReply:
      return { type: 'reply', stream: word(0), fin };
    case controlType.headers:
      return { type: 'headers', stream: word(0), fin };
    case controlType.rstStream:
      return { type: 'reset', stream: word(0), status: word(1) };
    case controlType.ping:
      return { type: 'ping', id: word(0) };
    case controlType.goAway:
      return { type: 'goAway' };
    default:
      return { type: 'other' };
  }
}
