import type { Socket } from 'node:net';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { TransportError, type TransportRequest, type TransportResponse } from '../../transport.ts';
import type { RequestDefaults } from '../connection-pool.ts';
import { codeOf } from '../dial.ts';
import { SocketReader } from '../socket-reader.ts';
import { FrameBudget } from './frame-budget.ts';
import { type FrameEvents, FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import {
  flags,
  frame,
  frameTypes,
  goawayFrame,
  preface,
  resetFrame,
  smallestMaxFrame,
  unpadded,
  windowUpdateFrame,
} from './frames.ts';
import { HeaderBlocks, longestHeaderList, type WholeHead } from './header-blocks.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { errorCodes, Http2Error } from './http2-error.ts';
import { Http2Stream, type Http2StreamOwner, streamWindow } from './http2-stream.ts';
import { largestWindow, ownSettings, readSettings } from './peer-settings.ts';
import { requestHeaders } from './request-headers.ts';

/** A PING is sent after this much silence, and must be answered in this time: client-go's values. */
const pingAfterMs = 30_000;
const pingTimeoutMs = 15_000;
const longestFreeMs = 90_000;
/** Maximum number of concurrent streams before the server's SETTINGS, and in any case. */
const firstStreams = 100;
const mostStreams = 1000;
/**
 * Receive window of the connection. It is renewed when data is received, read or not, so that one unread stream does
 * not block the others. Buffered data is bounded by the windows of the streams.
 */
const connectionWindow = 1024 * 1024 * 1024;
const firstWindow = 65_535;
const lastStreamId = 2 ** 31 - 1;

export interface Http2ConnectionOwner {
  /** The connection has room for another request. */
  onRoom(): void;
  /** The connection is closed. Called once. */
  onGone(connection: Http2Connection): void;
}

/**
 * A client's HTTP/2 connection, without push and priorities. The requests of one turn of the event loop are sent with
 * one write; that, and responses that are received together, make it cheap. Sends pings, so that a dead connection is
 * detected even when nothing is written. When the server violates the protocol, exceeds its windows or sends too many
 * useless frames, it gets a GOAWAY, the connection is closed, and all requests fail.
 */
export class Http2Connection implements FrameEvents, Http2StreamOwner {
  readonly #socket: Socket;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #owner: Http2ConnectionOwner;
  readonly #reader = new FrameReader(this);
  readonly #writer: FrameWriter;
  readonly #heads = new HeaderBlocks();
  readonly #budget: FrameBudget;
  readonly #encoder = new HpackEncoder();
  readonly #streams = new Map<number, Http2Stream>();
  /** Streams affected by the bytes being processed. */
  readonly #touched: Http2Stream[] = [];
  /** Streams whose request body is blocked by flow control. */
  readonly #blocked = new Set<Http2Stream>();
  #nextId = 1;
  #maxStreams = firstStreams;
  #maxFrame = smallestMaxFrame;
  #firstSendWindow = firstWindow;
  #sendWindow = firstWindow;
  /** Received bytes for which no WINDOW_UPDATE of the connection was sent. */
  #untold = 0;
  /** Bytes that may still arrive on cancelled streams: the rest of their windows. */
  #comingInVain = 0;
  /** The server has sent SETTINGS, which must be its first frame. */
  #hasBegun = false;
  /** No new requests; those in progress continue. */
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
    this.#budget = new FrameBudget(options.clock);
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

  /** Number of requests whose response has not begun. */
  get awaited(): number {
    let count = 0;
    for (const stream of this.#streams.values()) if (stream.isAwaited) count++;
    return count;
  }

  /** Must only be called when `hasRoom` is true. */
  send(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal?.aborted) return reject(signal.reason);
      if (this.#isGone) return reject(new TransportError('the connection was closed', { mayHaveBeenSent: false }));
      const block = requestHeaders(request, this.#defaults, this.#encoder);
      this.#budget.onRequest();
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

  /** Accepts no more requests, and closes after the last. */
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
    this.#checkOrder(frameTypes.data, id);
    this.#onBody(id, piece, isEnd, piece.length);
  }

  onFrame(type: number, flag: number, id: number, payload: Buffer): void {
    this.#checkOrder(type, id);
    switch (type) {
      case frameTypes.data:
        this.#onBody(id, unpadded(flag, payload), (flag & flags.endStream) !== 0, payload.length);
        break;
      case frameTypes.headers: {
        const block = unpadded(flag, payload).subarray(flag & flags.priority ? 5 : 0);
        this.#onHead(this.#heads.begin(flag, id, block));
        break;
      }
      case frameTypes.continuation:
        this.#budget.spend();
        this.#onHead(this.#heads.goOn(flag, payload));
        break;
      case frameTypes.resetStream:
        this.#onReset(id, payload.readUInt32BE(0));
        break;
      case frameTypes.settings:
        this.#onSettings(flag, payload);
        break;
      case frameTypes.ping:
        this.#onPing(flag, payload);
        break;
      case frameTypes.goaway:
        this.#onGoaway(payload.readUInt32BE(0) & 0x7fffffff);
        break;
      case frameTypes.windowUpdate:
        this.#onWindowUpdate(id, payload.readUInt32BE(0) & 0x7fffffff);
        break;
      case frameTypes.pushPromise:
        throw new Http2Error('an unexpected push');
      default:
        // Unknown frame types are ignored.
        this.#budget.spend();
    }
  }

  onGivenUp(stream: Http2Stream): void {
    if (this.#isGone) return;
    this.#writer.add(resetFrame(stream.id, errorCodes.cancel));
    this.#comingInVain = Math.min(this.#comingInVain + stream.receiveWindow, connectionWindow);
    this.#end(stream);
  }

  onTaken(stream: Http2Stream, bytes: number): void {
    if (!this.#isGone) this.#writer.add(windowUpdateFrame(stream.id, bytes));
  }

  #greet(): void {
    this.#writer.add(Buffer.from(preface));
    const payload = ownSettings(streamWindow, longestHeaderList);
    this.#writer.add(frame(frameTypes.settings, 0, 0, payload.length), payload);
    this.#writer.add(windowUpdateFrame(0, connectionWindow - firstWindow));
  }

  #writeHead(stream: Http2Stream, block: Buffer): void {
    const endStream = stream.unsent ? 0 : flags.endStream;
    for (let at = 0; at === 0 || at < block.length; at += this.#maxFrame) {
      // A copy, because the encoder reuses its buffer.
      const piece = Buffer.from(block.subarray(at, at + this.#maxFrame));
      const flag = (at === 0 ? endStream : 0) | (at + this.#maxFrame >= block.length ? flags.endHeaders : 0);
      const type = at === 0 ? frameTypes.headers : frameTypes.continuation;
      this.#writer.add(frame(type, flag, stream.id, piece.length), piece);
    }
    this.#writer.began(stream.id);
  }

  /** Sends as much of the body as flow control allows. */
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
      this.#budget.onBody(length);
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
      if (error instanceof Http2Error) {
        this.#writer.add(goawayFrame(error.http2Code));
        this.#writer.flush();
        this.destroy(new TransportError(error.message, { code: 'EPROTO', cause: error }));
      } else this.destroy(error instanceof TransportError ? error : broken(error));
    } finally {
      this.#touched.length = 0;
    }
  }

  /** Returns undefined for a closed stream, whose remaining frames are ignored. */
  #known(id: number): Http2Stream | undefined {
    const stream = this.#streams.get(id);
    if (!stream && (id % 2 === 0 || id >= this.#nextId)) throw new Http2Error('a frame on an unknown stream');
    return stream?.isOver ? undefined : stream;
  }

  /** Throws an `Http2Error` for a frame that is not allowed now. */
  #checkOrder(type: number, id: number): void {
    this.#heads.checkOrder(type === frameTypes.continuation, id);
    if (!this.#hasBegun && type !== frameTypes.settings) throw new Http2Error('the first frame is not SETTINGS');
  }

  #onBody(id: number, piece: Buffer, isEnd: boolean, windowBytes: number): void {
    this.#received(windowBytes);
    const stream = this.#known(id);
    if (piece.length === 0 && !(stream && isEnd)) this.#budget.spend();
    if (!stream) {
      this.#comingInVain -= windowBytes;
      if (this.#comingInVain < 0) throw new Http2Error('DATA after the end of the stream', errorCodes.streamClosed);
      return;
    }
    stream.onData(piece, windowBytes);
    if (isEnd) stream.onEnd();
    this.#touch(stream);
  }

  #received(bytes: number): void {
    this.#budget.onBody(bytes);
    this.#untold += bytes;
    if (this.#untold < connectionWindow / 2) return;
    this.#writer.add(windowUpdateFrame(0, this.#untold));
    this.#untold = 0;
  }

  #onHead(head: WholeHead | undefined): void {
    if (!head) return;
    const stream = this.#known(head.stream);
    stream?.onHeaders(head.fields, head.isEnd);
    // For a cancelled stream, or an informational response.
    if (!stream || (stream.isAwaited && !head.isEnd)) this.#budget.spend();
    if (!stream) return;
    if (head.isEnd) stream.onEnd();
    this.#touch(stream);
  }

  #touch(stream: Http2Stream): void {
    if (stream.isTouched) return;
    stream.isTouched = true;
    this.#touched.push(stream);
  }

  #onReset(id: number, code: number): void {
    const stream = this.#known(id);
    if (!stream) this.#budget.spend();
    else this.#fail(stream, `the server reset the stream with code ${code}`, code !== errorCodes.refusedStream);
  }

  #onSettings(flag: number, payload: Buffer): void {
    this.#budget.spend();
    if (flag & flags.ack) return;
    this.#hasBegun = true;
    const { headerTableSize, maxConcurrentStreams, initialWindowSize, maxFrameSize } = readSettings(payload);
    if (headerTableSize !== undefined) this.#encoder.tableBytes = headerTableSize;
    if (maxFrameSize !== undefined) this.#maxFrame = maxFrameSize;
    if (initialWindowSize !== undefined) this.#resizeWindows(initialWindowSize);
    this.#writer.addReply(frame(frameTypes.settings, flags.ack, 0, 0));
    this.#writeBlocked();
    if (maxConcurrentStreams === undefined) return;
    this.#maxStreams = Math.max(1, Math.min(maxConcurrentStreams, mostStreams));
    if (this.hasRoom) this.#owner.onRoom();
  }

  #resizeWindows(bytes: number): void {
    for (const stream of this.#streams.values()) {
      stream.sendWindow += bytes - this.#firstSendWindow;
      if (stream.sendWindow > largestWindow) throw windowTooLarge();
    }
    this.#firstSendWindow = bytes;
  }

  #onPing(flag: number, payload: Buffer): void {
    this.#budget.spend();
    if (flag & flags.ack) this.#watchOver();
    else {
      const words = [payload.readUInt32BE(0), payload.readUInt32BE(4)];
      this.#writer.addReply(frame(frameTypes.ping, flags.ack, 0, 8, words));
    }
  }

  /** The server closes the connection and will not process streams above `last`. */
  #onGoaway(last: number): void {
    this.#budget.spend();
    this.#isClosing = true;
    for (const stream of this.#streams.values()) {
      if (stream.id > last) this.#fail(stream, 'the server closes the connection', false);
    }
    if (this.#streams.size === 0) this.#close();
  }

  #onWindowUpdate(id: number, bytes: number): void {
    this.#budget.spend();
    const stream = id === 0 ? undefined : this.#known(id);
    if (id !== 0 && !stream) return;
    if (bytes === 0) throw new Http2Error('a window update of 0');
    if (stream) stream.sendWindow += bytes;
    else this.#sendWindow += bytes;
    if ((stream?.sendWindow ?? this.#sendWindow) > largestWindow) throw windowTooLarge();
    if (stream) this.#writeBody(stream);
    else this.#writeBlocked();
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
    // The server responded without waiting for the whole request.
    if (stream.unsent && stream.isOver) this.#writer.add(resetFrame(stream.id, errorCodes.noError));
    stream.unsent = undefined;
    if (this.#streams.size === 0) {
      this.#socket.unref();
      if (this.#isClosing) this.#close();
      else this.#watchOver();
    }
    if (this.hasRoom) this.#owner.onRoom();
  }

  /** Closes the connection; no stream is open. */
  #close(): void {
    if (this.#isGone) return;
    this.#writer.add(goawayFrame(errorCodes.noError));
    this.#writer.flush();
    this.#socket.end();
    this.destroy(new TransportError('the connection was closed', { mayHaveBeenSent: false }));
  }

  /** With open streams, pings after silence. Otherwise closes after the idle timeout. */
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
      () => this.destroy(new TransportError('the server does not respond to pings', { code: 'ETIMEDOUT' })),
      pingTimeoutMs,
    );
    this.#writer.add(frame(frameTypes.ping, 0, 0, 8, [0, 0]));
  }
}

const windowTooLarge = (): Http2Error => new Http2Error('a window is too large', errorCodes.flowControlError);

function broken(cause: unknown): TransportError {
  const message =
    cause instanceof Error ? cause.message : 'the server closed the connection before the end of the response';
  return new TransportError(message, { code: codeOf(cause) ?? 'ECONNRESET', cause });
}

/** The same error for a request of which nothing was sent. */
const unsent = (reason: TransportError): TransportError =>
  new TransportError(reason.message, {
    ...(reason.code !== undefined && { code: reason.code }),
    mayHaveBeenSent: false,
    cause: reason.cause,
  });
