import { onAbort } from '@coxswain/apimachinery/abort';
import { ChunkQueue } from '../../chunk-queue.ts';
import { bodyOf, copyChunks } from '../../response-body.ts';
import type { TransportError, TransportRequest, TransportResponse } from '../../transport.ts';
import type { HeaderField } from './hpack-static-table.ts';
import { errorCodes, Http2Error } from './http2-error.ts';
import { checkTrailers, type ResponseHead, responseHead } from './response-head.ts';
import { SlabWriter } from './slabs.ts';

/** What may be under way to us on one stream, whose reader may be slow. */
export const streamWindow = 1024 * 1024;
/** Answers that say they are no longer than this are handed over when they are whole. */
const longestWhole = 64 * 1024;

export interface Http2StreamOwner {
  /** The answer is not wanted any more. */
  onGivenUp(stream: Http2Stream): void;
  /** The reader has taken so much: the server may send as much again. */
  onTaken(stream: Http2Stream, bytes: number): void;
}

/** Who waits for an answer. */
interface Caller {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  /** Stops waiting for the signal; once there is a body, that waits itself. */
  readonly unlink: () => void;
}

/**
 * One request, and what has come of its answer. Holds nothing of it after the end: tables of streams that were replaced by larger ones
 * still name those of then, until the engine looks at all it has.
 */
export class Http2Stream {
  readonly id: number;
  readonly #owner: Http2StreamOwner;
  /** Until there is an answer, or it is known that there will be none. */
  #caller: Caller | undefined;
  /** What of the request's body has not been sent. */
  unsent: Uint8Array | undefined;
  /** How much the server takes of it now. */
  sendWindow: number;
  /** What the server may still send: it was told of no more. */
  receiveWindow = streamWindow;
  #head: ResponseHead | undefined;
  /** What came of the body before anybody could have it; only lent until `advance`. */
  #ready: Buffer[] = [];
  /** What came before that of an answer that is handed over whole. */
  #whole: Buffer | undefined;
  #wholeBytes = 0;
  /** What is still to come of an answer that is handed over whole. Less than nothing for others, and where more came than was said. */
  #missing = -1;
  /** Nobody looks at the body; from when the server says that it is done, what comes of it is let go of. */
  #isUnwanted: boolean;
  #body: ChunkQueue | undefined;
  readonly #slabs = new SlabWriter();
  /** Bytes that the server has not been told were taken. */
  #untold = 0;
  #isFull = false;
  /** The answer has not begun. */
  isAwaited = true;
  /** The answer is complete, or there will be none. */
  isOver = false;
  /** The bytes at hand are about it. */
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

  /** The head of the answer, or what comes after its body, of which nobody wants to know. */
  onHeaders(fields: readonly HeaderField[], isEnd: boolean): void {
    if (!this.isAwaited) {
      if (!isEnd) throw new Http2Error('an answer with two heads');
      checkTrailers(fields);
      return;
    }
    const head = responseHead(fields);
    // Provisional: the answer is still to come.
    if (head.status < 200) return;
    this.#head = head;
    this.isAwaited = false;
    this.#isUnwanted &&= head.status < 300;
    const length = Number(head.headers['content-length'] ?? -1);
    if (length <= longestWhole) this.#missing = length;
  }

  /** The piece is only lent until `advance`. It takes so many bytes of the window: more than it has if it was padded. */
  onData(piece: Buffer, windowBytes: number): void {
    if (this.isAwaited) throw new Http2Error('a body without a head');
    this.receiveWindow -= windowBytes;
    if (this.receiveWindow < 0) throw new Http2Error('more than its window', errorCodes.flowControlError);
    this.#untold += windowBytes;
    this.#missing -= piece.length;
    if (this.#body) this.#isFull = !this.#slabs.write(piece, this.#body);
    else if (!this.#isUnwanted && piece.length > 0) this.#ready.push(piece);
    this.#tell();
  }

  onEnd(): void {
    if (this.isAwaited) throw new Http2Error('an answer without a head');
    this.isOver = true;
  }

  /** Hands over what the last bytes brought. */
  advance(): void {
    if (this.#body && this.isOver) {
      this.#body.end();
      this.#body = undefined;
    }
    const head = this.#head;
    // Many answers at once are all their heads, and then all their bodies: a body of its own for each would cost more than its bytes.
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

  /** In memory of the answer's length, however many pieces it comes in. */
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

  /** A body that goes on. */
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

  /** There will be no more. */
  fail(reason: TransportError): void {
    this.isOver = true;
    this.#body?.fail(reason);
    const head = this.#head;
    const caller = this.#takeCaller();
    if (!caller) return;
    if (head) {
      // What came before it broke can be read.
      const body = this.#open(caller.signal);
      body.fail(reason);
      caller.resolve({ ...head, body });
    } else caller.reject(reason);
    this.#head = undefined;
    this.#takeReady();
  }

  /** Undefined when nobody waits any more. */
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
