import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../clock/clock.ts';
import { TransportError, type TransportRequest, type TransportResponse } from '../../transport.ts';
import type { RequestDefaults } from '../connection-pool.ts';
import { codeOf } from '../dial.ts';
import { checkHeader, checkRequestLine } from '../request-head.ts';
import { SocketReader } from '../socket-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import {
  errorCodes,
  type FrameEvents,
  FrameReader,
  flags,
  frame,
  frameTypes,
  malformed,
  preface,
  resetFrame,
  settings,
  smallestMaxFrame,
  unpadded,
  windowUpdateFrame,
} from './frames.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { Http2Stream, type Http2StreamOwner, streamWindow } from './http2-stream.ts';

/** After so much silence the server is asked whether it is there, and has so long to answer: client-go's figures. */
const pingAfterMs = 30_000;
const pingTimeoutMs = 15_000;
const longestFreeMs = 90_000;
/** Requests at a time until the server has said how many it takes, and in any case. */
const firstStreams = 100;
const mostStreams = 1000;
/** What may be under way to us on all streams: one that is not read must not stop the others. */
const connectionWindow = 1024 * 1024 * 1024;
const firstWindow = 65_535;
const largestWindow = 2 ** 31 - 1;
const lastStreamId = 2 ** 31 - 1;
/** More is no head of an answer. */
const longestHead = 256 * 1024;
/** They belong to a connection, which here carries several requests. */
const ofConnections: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

export interface Http2ConnectionOwner {
  /** It may take another request. */
  onRoom(): void;
  /** It is no more. Called once. */
  onGone(connection: Http2Connection): void;
}

/**
 * One HTTP/2 connection, as much of the protocol as a client needs that pushes nothing and prefers nothing. What is sent in one turn
 * of the event loop goes out in one piece, however many requests it is: that, and answers that come together, is what makes it cheap.
 * Asks for signs of life, so that a dead one is found although nobody writes.
 */
export class Http2Connection implements FrameEvents, Http2StreamOwner {
  readonly #socket: Socket;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #owner: Http2ConnectionOwner;
  readonly #reader = new FrameReader(this);
  readonly #writer: FrameWriter;
  readonly #decoder = new HpackDecoder();
  readonly #encoder = new HpackEncoder();
  readonly #streams = new Map<number, Http2Stream>();
  /** Those that the bytes at hand are about. */
  readonly #touched: Http2Stream[] = [];
  /** Those whose body the server does not take all of yet. */
  readonly #blocked = new Set<Http2Stream>();
  #nextId = 1;
  #maxStreams = firstStreams;
  #maxFrame = smallestMaxFrame;
  #firstSendWindow = firstWindow;
  #sendWindow = firstWindow;
  /** Bytes that the server has not been told were received. */
  #untold = 0;
  /** A head that comes in several frames: whose, and what there is of it. */
  #partial: { readonly stream: number; readonly isEnd: boolean; readonly pieces: Buffer[]; bytes: number } | undefined;
  /** It takes no more requests; those it has go on. */
  #isClosing = false;
  #isGone = false;
  #timer: Timer | undefined;
  #bytesSeen = 0;

  constructor(
    socket: Socket,
    options: { defaults: RequestDefaults; clock: Clock; owner: Http2ConnectionOwner; reader?: SocketReader },
  ) {
    this.#socket = socket;
    this.#defaults = options.defaults;
    this.#clock = options.clock;
    this.#owner = options.owner;
    this.#writer = new FrameWriter(socket);
    socket.on('error', (error: Error) => this.destroy(broken(error)));
    socket.on('close', () => this.destroy(broken(undefined)));
    socket.on('end', () => this.destroy(broken(undefined)));
    this.#greet();
    this.#watchOver();
    (options.reader ?? new SocketReader()).start(socket, (bytes) => this.#onBytes(bytes));
  }

  get hasRoom(): boolean {
    return !this.#isClosing && this.#streams.size < this.#maxStreams && this.#nextId <= lastStreamId;
  }

  /** Requests whose answer has not begun. */
  get awaited(): number {
    let count = 0;
    for (const stream of this.#streams.values()) if (stream.isAwaited) count++;
    return count;
  }

  /** To be called only when there is room. */
  send(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal?.aborted) return reject(signal.reason);
      if (this.#isGone) return reject(new TransportError('the connection was closed', { mayHaveBeenSent: false }));
      const block = this.#headers(request);
      const stream = new Http2Stream(this.#nextId, request, this.#firstSendWindow, this, resolve, reject);
      this.#nextId += 2;
      this.#streams.set(stream.id, stream);
      if (this.#streams.size === 1) {
        this.#socket.ref();
        this.#watchOver();
      }
      this.#writeHead(stream, block);
      this.#writeBody(stream);
    });
  }

  /** Takes no more requests, and closes after the last. */
  retire(): void {
    this.#isClosing = true;
    if (this.#streams.size === 0) this.#close();
  }

  destroy(reason: TransportError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isClosing = true;
    this.#timer?.cancel();
    this.#socket.destroy();
    for (const stream of this.#streams.values()) stream.fail(this.#writer.hasSent(stream.id) ? reason : unsent(reason));
    this.#streams.clear();
    this.#blocked.clear();
    this.#owner.onGone(this);
  }

  onData(id: number, piece: Buffer, isEnd: boolean): void {
    if (this.#partial) throw malformed('a head is interrupted');
    this.#received(piece.length);
    const stream = this.#known(id);
    if (!stream) return;
    if (piece.length > 0) stream.onData(piece);
    if (isEnd) stream.onEnd();
    this.#touch(stream);
  }

  onFrame(type: number, flag: number, id: number, payload: Buffer): void {
    if (this.#partial && (type !== frameTypes.continuation || id !== this.#partial.stream)) {
      throw malformed('a head is interrupted');
    }
    switch (type) {
      case frameTypes.data:
        this.#received(payload.length - unpadded(flag, payload).length);
        this.onData(id, unpadded(flag, payload), (flag & flags.endStream) !== 0);
        break;
      case frameTypes.headers:
        this.#partial = { stream: id, isEnd: (flag & flags.endStream) !== 0, pieces: [], bytes: 0 };
        this.#onHead(flag, unpadded(flag, payload).subarray(flag & flags.priority ? 5 : 0));
        break;
      case frameTypes.continuation:
        if (!this.#partial) throw malformed('a head goes on that has not begun');
        this.#onHead(flag, payload);
        break;
      case frameTypes.resetStream:
        this.#onReset(id, wordAt(payload, 0));
        break;
      case frameTypes.settings:
        this.#onSettings(flag, payload);
        break;
      case frameTypes.ping:
        this.#onPing(flag, payload);
        break;
      case frameTypes.goaway:
        this.#onGoaway(wordAt(payload, 0) & 0x7fffffff);
        break;
      case frameTypes.windowUpdate:
        this.#onWindowUpdate(id, wordAt(payload, 0) & 0x7fffffff);
        break;
      case frameTypes.pushPromise:
        throw malformed('it pushes what nobody asked for');
      default:
      // Others need not be known.
    }
  }

  onGivenUp(stream: Http2Stream): void {
    if (this.#isGone) return;
    this.#writer.add(resetFrame(stream.id, errorCodes.cancel));
    this.#end(stream);
  }

  onTaken(stream: Http2Stream, bytes: number): void {
    if (!this.#isGone) this.#writer.add(windowUpdateFrame(stream.id, bytes));
  }

  #greet(): void {
    this.#writer.add(Buffer.from(preface));
    const wanted = [
      [settings.enablePush, 0],
      [settings.initialWindowSize, streamWindow],
    ] as const;
    const payload = Buffer.alloc(wanted.length * 6);
    wanted.forEach(([setting, value], index) => {
      payload.writeUInt16BE(setting, index * 6);
      payload.writeUInt32BE(value, index * 6 + 2);
    });
    this.#writer.add(frame(frameTypes.settings, 0, 0, payload.length), payload);
    this.#writer.add(windowUpdateFrame(0, connectionWindow - firstWindow));
  }

  /** The head of the request, coded. Throws a TypeError for what would not arrive as it is meant. */
  #headers({ method, url, headers, body }: TransportRequest): Buffer {
    const { prefix, authority, headers: defaults } = this.#defaults;
    checkRequestLine(method, url);
    for (const name in headers) {
      if (ofConnections.has(name)) throw new TypeError(`the header ${name} cannot be sent over HTTP/2`);
      const value = headers[name]!;
      if (typeof value !== 'string') for (const one of value) checkHeader(name, one);
      // What was sent before need not be looked at again.
      else if (!this.#encoder.knows(name, value)) checkHeader(name, value);
    }
    const encoder = this.#encoder;
    encoder.begin();
    encoder.add(':method', method);
    encoder.add(':scheme', 'https');
    encoder.add(':authority', authority);
    encoder.add(':path', prefix + url);
    for (const name in defaults) if (!(name in headers)) encoder.add(name, defaults[name]!);
    for (const name in headers) {
      const value = headers[name]!;
      // Escaped characters in names of extra attributes have capitals.
      const lower = name.toLowerCase();
      if (typeof value === 'string') encoder.add(lower, value);
      else for (const one of value) encoder.add(lower, one);
    }
    if (body !== undefined) encoder.add('content-length', String(body.length));
    return encoder.end();
  }

  #writeHead(stream: Http2Stream, block: Buffer): void {
    const endStream = stream.unsent ? 0 : flags.endStream;
    for (let at = 0; at === 0 || at < block.length; at += this.#maxFrame) {
      // A copy: the encoder uses its memory again.
      const piece = Buffer.from(block.subarray(at, at + this.#maxFrame));
      const flag = (at === 0 ? endStream : 0) | (at + this.#maxFrame >= block.length ? flags.endHeaders : 0);
      const type = at === 0 ? frameTypes.headers : frameTypes.continuation;
      this.#writer.add(frame(type, flag, stream.id, piece.length), piece);
    }
    this.#writer.began(stream.id);
  }

  /** As much as the server takes now. */
  #writeBody(stream: Http2Stream): void {
    while (stream.unsent) {
      const length = Math.min(stream.unsent.length, this.#maxFrame, stream.sendWindow, this.#sendWindow);
      if (length <= 0) {
        this.#blocked.add(stream);
        return;
      }
      const piece = stream.unsent.subarray(0, length);
      stream.unsent = length < stream.unsent.length ? stream.unsent.subarray(length) : undefined;
      stream.sendWindow -= length;
      this.#sendWindow -= length;
      const flag = stream.unsent ? 0 : flags.endStream;
      this.#writer.add(frame(frameTypes.data, flag, stream.id, length), piece);
    }
    this.#blocked.delete(stream);
  }

  #onBytes(bytes: Buffer): void {
    if (this.#isGone) return;
    try {
      this.#reader.push(bytes);
      if (this.#isGone) return;
      for (const stream of this.#touched) {
        stream.isTouched = false;
        if (stream.isOver) this.#end(stream);
        stream.advance();
      }
    } catch (error) {
      this.destroy(error instanceof TransportError ? error : broken(error));
    } finally {
      this.#touched.length = 0;
    }
  }

  /** Undefined for one that is over: what is still under way for it concerns nobody. */
  #known(id: number): Http2Stream | undefined {
    const stream = this.#streams.get(id);
    if (!stream && (id % 2 === 0 || id >= this.#nextId)) throw malformed('an answer to what nobody asked');
    return stream?.isOver ? undefined : stream;
  }

  #received(bytes: number): void {
    this.#untold += bytes;
    if (this.#untold < connectionWindow / 2) return;
    this.#writer.add(windowUpdateFrame(0, this.#untold));
    this.#untold = 0;
  }

  #onHead(flag: number, piece: Buffer): void {
    const partial = this.#partial!;
    // A copy, where it must wait for the rest.
    partial.pieces.push(flag & flags.endHeaders ? piece : Buffer.from(piece));
    partial.bytes += piece.length;
    if (partial.bytes > longestHead) throw malformed('the head of an answer is too long');
    if ((flag & flags.endHeaders) === 0) return;
    this.#partial = undefined;
    const block = partial.pieces.length === 1 ? piece : Buffer.concat(partial.pieces);
    const fields = this.#decoder.decode(block);
    const stream = this.#known(partial.stream);
    if (!stream) return;
    stream.onHeaders(fields);
    if (partial.isEnd) stream.onEnd();
    this.#touch(stream);
  }

  #touch(stream: Http2Stream): void {
    if (stream.isTouched) return;
    stream.isTouched = true;
    this.#touched.push(stream);
  }

  #onReset(id: number, code: number): void {
    const stream = this.#known(id);
    if (!stream) return;
    this.#fail(stream, `the server reset the stream with code ${code}`, code !== errorCodes.refusedStream);
  }

  #onSettings(flag: number, payload: Buffer): void {
    if (flag & flags.ack) return;
    for (let at = 0; at + 6 <= payload.length; at += 6) this.#apply(payload.readUInt16BE(at), wordAt(payload, at + 2));
    this.#writer.addReply(frame(frameTypes.settings, flags.ack, 0, 0));
    this.#writeBlocked();
  }

  #apply(setting: number, value: number): void {
    if (setting === settings.headerTableSize) this.#encoder.tableBytes = value;
    else if (setting === settings.maxConcurrentStreams) {
      this.#maxStreams = Math.max(1, Math.min(value, mostStreams));
      if (this.hasRoom) this.#owner.onRoom();
    } else if (setting === settings.maxFrameSize) this.#maxFrame = Math.max(smallestMaxFrame, value);
    else if (setting === settings.initialWindowSize) {
      if (value > largestWindow) throw malformed('a window that is too large');
      for (const stream of this.#streams.values()) stream.sendWindow += value - this.#firstSendWindow;
      this.#firstSendWindow = value;
    }
  }

  #onPing(flag: number, payload: Buffer): void {
    if ((flag & flags.ack) === 0) {
      this.#writer.addReply(frame(frameTypes.ping, flags.ack, 0, 8, [wordAt(payload, 0), wordAt(payload, 4)]));
    } else this.#watchOver();
  }

  /** The server closes: what it has not begun, it will not. */
  #onGoaway(last: number): void {
    this.#isClosing = true;
    for (const stream of this.#streams.values()) {
      if (stream.id > last) this.#fail(stream, 'the server closes the connection', false);
    }
    if (this.#streams.size === 0) this.#close();
  }

  #onWindowUpdate(id: number, bytes: number): void {
    if (id === 0) this.#sendWindow += bytes;
    else {
      const stream = this.#known(id);
      if (stream) stream.sendWindow += bytes;
    }
    this.#writeBlocked();
  }

  #writeBlocked(): void {
    for (const stream of this.#blocked) this.#writeBody(stream);
  }

  #fail(stream: Http2Stream, message: string, mayHaveBeenSent: boolean): void {
    stream.fail(new TransportError(message, { code: 'ECONNRESET', mayHaveBeenSent }));
    this.#end(stream);
  }

  #end(stream: Http2Stream): void {
    if (!this.#streams.delete(stream.id)) return;
    this.#blocked.delete(stream);
    // The server has answered without waiting for all of the request.
    if (stream.unsent && stream.isOver) this.#writer.add(resetFrame(stream.id, errorCodes.noError));
    stream.unsent = undefined;
    if (this.#streams.size === 0) {
      this.#socket.unref();
      if (this.#isClosing) this.#close();
      else this.#watchOver();
    }
    if (this.hasRoom) this.#owner.onRoom();
  }

  /** Nothing is under way. */
  #close(): void {
    if (this.#isGone) return;
    this.#writer.add(frame(frameTypes.goaway, 0, 0, 8, [0, errorCodes.noError]));
    this.#writer.flush();
    this.#socket.end();
    this.destroy(new TransportError('the connection was closed', { mayHaveBeenSent: false }));
  }

  /** While there are requests: pings after silence. Else: closes after a while. */
  #watchOver(): void {
    this.#timer?.cancel();
    if (this.#isGone) return;
    const [work, delayMs] =
      this.#streams.size === 0
        ? ([() => this.retire(), longestFreeMs] as const)
        : ([() => this.#ping(), pingAfterMs] as const);
    this.#timer = this.#clock.setTimeout(work, delayMs, { background: true });
  }

  #ping(): void {
    const hasSpoken = this.#socket.bytesRead !== this.#bytesSeen;
    this.#bytesSeen = this.#socket.bytesRead;
    if (hasSpoken) {
      this.#watchOver();
      return;
    }
    this.#timer = this.#clock.setTimeout(
      () => this.destroy(new TransportError('the server does not answer any more', { code: 'ETIMEDOUT' })),
      pingTimeoutMs,
    );
    this.#writer.add(frame(frameTypes.ping, 0, 0, 8, [0, 0]));
  }
}

function wordAt(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw malformed('a frame is too short');
  return payload.readUInt32BE(at);
}

function broken(cause: unknown): TransportError {
  const message =
    cause instanceof Error ? cause.message : 'the server closed the connection before the end of its answer';
  return new TransportError(message, { code: codeOf(cause) ?? 'ECONNRESET', cause });
}

/** The same for a request of which nothing went out. */
const unsent = (reason: TransportError): TransportError =>
  new TransportError(reason.message, {
    ...(reason.code !== undefined && { code: reason.code }),
    mayHaveBeenSent: false,
    cause: reason.cause,
  });
