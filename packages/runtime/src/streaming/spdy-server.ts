import { once } from 'node:events';
import { type Duplex, PassThrough } from 'node:stream';
import { createInflate, type Inflate, constants as zlib } from 'node:zlib';
import {
  dataFrame,
  goAway,
  ping,
  readHeaderBlock,
  resetCancel,
  rstStream,
  SpdyFrameReader,
  synReply,
} from '@coxswain/apimachinery/spdy';
import { headerDictionary } from './header-dictionary.ts';

/** Maximum size of a sent frame. */
const maxFrameBytes = 32 * 1024;
/** More headers than any client sends, so that a few compressed bytes do not fill the memory. */
const maxHeaderBytes = 64 * 1024;
const maxStreams = 1024;

/** A stream that the client has opened. */
export interface SpdyServerStream {
  readonly headers: ReadonlyMap<string, string>;
  /** What the client sends, until it ends its direction. */
  readonly received: AsyncIterable<Buffer>;
  /** Resolves when more can be written. Does nothing after the end of the connection. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends this direction. */
  end(): void;
  /** Ends both directions. */
  reset(): void;
}

/**
 * The server's side of SPDY/3.1 in the dialect of Kubernetes: without flow control, so a stream that is not read holds up the others when
 * its buffer is full.
 */
export class SpdyServer {
  readonly #socket: Duplex;
  readonly #onStream: (stream: SpdyServerStream) => void;
  readonly #streams = new Map<number, PassThrough>();
  readonly #inflate: Inflate;
  #hasSentHeaders = false;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;

  constructor(socket: Duplex, onStream: (stream: SpdyServerStream) => void) {
    this.#socket = socket;
    this.#onStream = onStream;
    this.#inflate = createInflate({ dictionary: headerDictionary, flush: zlib.Z_SYNC_FLUSH });
    this.#inflate.on('error', () => socket.destroy());
    socket.on('error', () => {});
    this.closed = this.#receive()
      .catch(() => {})
      .then(() => this.#finish());
  }

  /** Ends the connection after all that was written. */
  close(): void {
    if (this.#socket.writable) this.#socket.end(goAway());
  }

  async #receive(): Promise<void> {
    const reader = new SpdyFrameReader();
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      for (const frame of reader.read(chunk)) {
        if (frame.type === 'ping' && frame.id % 2 === 1) this.#send(ping(frame.id));
        if (frame.type === 'goAway') return;
        if (frame.type === 'open') await this.#open(frame.stream, frame.block);
        if (!('stream' in frame)) continue;
        const stream = this.#streams.get(frame.stream);
        if (!stream) continue;
        if (frame.type === 'reset') {
          this.#streams.delete(frame.stream);
          stream.destroy();
        }
        // The bytes are a view of a buffer that is used again.
        if (frame.type === 'data' && frame.bytes.length > 0) await pass(stream, Buffer.from(frame.bytes));
        if (frame.type !== 'reset' && frame.fin) stream.end();
      }
    }
  }

  async #open(id: number, block: Uint8Array): Promise<void> {
    if (this.#streams.size >= maxStreams) throw new Error('too many streams');
    const headers = readHeaderBlock(await this.#decompress(block));
    const received = new PassThrough();
    received.on('error', () => {});
    this.#streams.set(id, received);
    this.#send(synReply(id, { isFirst: !this.#hasSentHeaders }));
    this.#hasSentHeaders = true;
    this.#onStream({
      headers,
      received,
      write: (bytes) => this.#write(id, bytes),
      end: () => this.#send(dataFrame(id, new Uint8Array(0), true)),
      reset: () => {
        this.#streams.delete(id);
        received.destroy();
        this.#send(rstStream(id, resetCancel));
      },
    });
  }

  /** Each block ends with a flush, so all of it comes out before the callback. */
  async #decompress(block: Uint8Array): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    const collect = (part: Buffer): void => {
      parts.push(part);
      length += part.length;
      if (length > maxHeaderBytes) this.#inflate.destroy(new Error('headers are too long'));
    };
    this.#inflate.on('data', collect);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#inflate.once('error', reject);
        this.#inflate.write(block, (error) => {
          this.#inflate.off('error', reject);
          if (error) reject(error);
          else resolve();
        });
      });
    } finally {
      this.#inflate.off('data', collect);
    }
    return Buffer.concat(parts);
  }

  async #write(id: number, bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxFrameBytes) {
      if (!this.#send(dataFrame(id, bytes.subarray(start, start + maxFrameBytes), false)) && this.#socket.writable) {
        await Promise.race([once(this.#socket, 'drain').catch(() => {}), this.closed]);
      }
    }
  }

  /** False if the client does not keep up. */
  #send(frame: Uint8Array): boolean {
    return this.#socket.writable && this.#socket.write(frame);
  }

  #finish(): void {
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    this.#inflate.close();
    this.#socket.destroy();
  }
}

/** Waits until the reader of a stream keeps up, or has gone. */
async function pass(stream: PassThrough, bytes: Buffer): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
