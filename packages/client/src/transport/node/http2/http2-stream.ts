import { onAbort } from '@coxswain/apimachinery/abort';
import { ChunkQueue } from '../../chunk-queue.ts';
import { bodyOf, copyChunks } from '../../response-body.ts';
import type { TransportError, TransportRequest, TransportResponse } from '../../transport.ts';
import type { HeaderField } from './hpack-static-table.ts';
import { errorCodes, Http2Error } from './http2-error.ts';
import { checkTrailers, type ResponseHead, responseHead } from './response-head.ts';
import { SlabWriter } from './slabs.ts';

/** Receive window of a stream, whose reader may be slow. */
export const streamWindow = 1024 * 1024;
/** Responses with a content-length up to this are delivered when they are complete. */
const longestWhole = 64 * 1024;

export interface Http2StreamOwner {
  /** The response was cancelled. */
  onGivenUp(stream: Http2Stream): void;
  /** The reader has consumed this many bytes: send a WINDOW_UPDATE. */
  onTaken(stream: Http2Stream, bytes: number): void;
}

/** The pending call of `send`. */
interface Caller {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  /** Removes the listener on the signal; a streaming body has its own. */
  readonly unlink: () => void;
}

/**
 * A request and the received part of its response. Holds no data after the end, because old hash tables of streams may
 * reference it until they are collected.
 */
export class Http2Stream {
  readonly id: number;
  readonly #owner: Http2StreamOwner;
  /** Set until the response or a failure is delivered. */
  #caller: Caller | undefined;
  /** The unsent part of the request's body. */
  unsent: Uint8Array | undefined;
  /** Send window of the stream. */
  sendWindow: number;
  /** Receive window: how much the server may still send. */
  receiveWindow = streamWindow;
  #head: ResponseHead | undefined;
  /** Parts of the body received before it was delivered; only valid until `advance`. */
  #ready: Buffer[] = [];
  /** Earlier parts of a response that is delivered when complete. */
  #whole: Buffer | undefined;
  #wholeBytes = 0;
  /**
   * Missing bytes of a response that is delivered when complete. Negative for other responses, and when more was
   * received than announced.
   */
  #missing = -1;
  /** The caller does not want the body: it is dropped once the status is a success. */
  #isUnwanted: boolean;
  #body: ChunkQueue | undefined;
  readonly #slabs = new SlabWriter();
  /** Received bytes for which no WINDOW_UPDATE was sent. */
  #untold = 0;
  #isFull = false;
  /** The response has not begun. */
  isAwaited = true;
  /** The response is complete, or has failed. */
  isOver = false;
  /** Affected by the bytes being processed. */
  isTouched = false;

  constructor(
    id: number,
    request: TransportRequest,
    sendWindow: number,
    owner: Http2StreamOwner,
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.id = id;
    this.#owner = owner;
    this.unsent = request.body && request.body.length > 0 ? request.body : undefined;
    this.sendWindow = sendWindow;
    const { signal, bodyUnwanted = false } = request;
    this.#isUnwanted = bodyUnwanted;
    const unlink = onAbort(signal, () => {
      this.isOver = true;
      this.#takeCaller()?.reject(signal?.reason);
      this.#takeReady();
      owner.onGivenUp(this);
    });
    this.#caller = { resolve, reject, signal, unlink };
  }

  /** Receives the head of the response, or trailers, which are ignored. */
  onHeaders(fields: readonly HeaderField[], isEnd: boolean): void {
    if (!this.isAwaited) {
      if (!isEnd) throw new Http2Error('a response with two header blocks');
      checkTrailers(fields);
      return;
    }
    const head = responseHead(fields);
    // Informational; the final response follows.
    if (head.status < 200) return;
    this.#head = head;
    this.isAwaited = false;
    this.#isUnwanted &&= head.status < 300;
    const length = Number(head.headers['content-length'] ?? -1);
    if (length <= longestWhole) this.#missing = length;
  }

  /** The piece is only valid until `advance`. `windowBytes` is its size in the window, including padding. */
  onData(piece: Buffer, windowBytes: number): void {
    if (this.isAwaited) throw new Http2Error('DATA before HEADERS');
    this.receiveWindow -= windowBytes;
    if (this.receiveWindow < 0) throw new Http2Error('DATA beyond the window', errorCodes.flowControlError);
    this.#untold += windowBytes;
    this.#missing -= piece.length;
    if (this.#body) this.#isFull = !this.#slabs.write(piece, this.#body);
    else if (!this.#isUnwanted && piece.length > 0) this.#ready.push(piece);
    this.#tell();
  }

  onEnd(): void {
    if (this.isAwaited) throw new Http2Error('the stream ended before HEADERS');
    this.isOver = true;
  }

  /** Delivers what the last bytes completed. */
  advance(): void {
    if (this.#body && this.isOver) {
      this.#body.end();
      this.#body = undefined;
    }
    const head = this.#head;
    // When many responses arrive together, all heads precede all bodies: a streaming body for each would cost more than
    // its bytes.
    if (head && !this.isOver && (this.#isUnwanted || this.#missing >= 0)) {
      this.#keepReady();
      return;
    }
    const caller = head && this.#takeCaller();
    if (!caller) return;
    const { status, headers } = head;
    const body = this.isOver ? bodyOf(this.#takeBody()) : this.#open(caller.signal);
    caller.resolve({ status, headers, body });
    this.#head = undefined;
  }

  /** Copies the parts into one buffer of the response's length. */
  #keepReady(): void {
    if (this.#ready.length === 0) return;
    this.#whole ??= Buffer.allocUnsafe(this.#missing + lengthOf(this.#ready));
    for (const piece of this.#ready) this.#wholeBytes += piece.copy(this.#whole, this.#wholeBytes);
    this.#ready = [];
  }

  #takeBody(): Uint8Array {
    const isWhole = this.#whole !== undefined && this.#ready.length === 0;
    const pieces = this.#takeReady();
    return isWhole ? pieces[0]! : copyChunks(pieces);
  }

  #takeReady(): Buffer[] {
    const whole = this.#whole?.subarray(0, this.#wholeBytes);
    const all = whole ? [whole, ...this.#ready] : this.#ready;
    this.#whole = undefined;
    this.#ready = [];
    return all;
  }

  /** Opens a streaming body. */
  #open(signal: AbortSignal | undefined): ChunkQueue {
    const body = new ChunkQueue(signal);
    this.#body = body;
    body.onClose(() => {
      this.#body = undefined;
      if (this.isOver) return;
      this.isOver = true;
      this.#owner.onGivenUp(this);
    });
    body.onDrain(() => {
      this.#isFull = false;
      this.#tell();
    });
    for (const piece of this.#takeReady()) this.#isFull = !this.#slabs.write(piece, body);
    return body;
  }

  /** Fails the request, or its body. */
  fail(reason: TransportError): void {
    this.isOver = true;
    this.#body?.fail(reason);
    const head = this.#head;
    const caller = this.#takeCaller();
    if (!caller) return;
    if (head) {
      // The received part can be read.
      const body = this.#open(caller.signal);
      body.fail(reason);
      caller.resolve({ ...head, body });
    } else caller.reject(reason);
    this.#head = undefined;
    this.#takeReady();
  }

  /** Returns undefined if the call was settled before. */
  #takeCaller(): Caller | undefined {
    const caller = this.#caller;
    this.#caller = undefined;
    caller?.unlink();
    return caller;
  }

  #tell(): void {
    if (this.#isFull || this.isOver || this.#untold < streamWindow / 2) return;
    this.#owner.onTaken(this, this.#untold);
    this.receiveWindow += this.#untold;
    this.#untold = 0;
  }
}

const lengthOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);
