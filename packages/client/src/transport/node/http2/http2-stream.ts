import { ChunkQueue } from '../../chunk-queue.ts';
import { onAbort } from '../../on-abort.ts';
import { bodyOf, joinChunks } from '../../response-body.ts';
import type { TransportError, TransportRequest, TransportResponse } from '../../transport.ts';
import { malformed } from './frames.ts';
import type { HeaderField } from './hpack-static-table.ts';

/** What may be under way to us on one stream, whose reader may be slow. */
export const streamWindow = 1024 * 1024;

export interface Http2StreamOwner {
  /** The answer is not wanted any more. */
  onGivenUp(stream: Http2Stream): void;
  /** The reader has taken so much: the server may send as much again. */
  onTaken(stream: Http2Stream, bytes: number): void;
}

type Head = Pick<TransportResponse, 'status' | 'headers'>;

/** One request, and what has come of its answer. */
export class Http2Stream {
  readonly id: number;
  readonly #owner: Http2StreamOwner;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  /** Stops waiting for the signal; once there is a body, that waits itself. */
  readonly #unlink: () => void;
  /** What of the request's body has not been sent. */
  unsent: Uint8Array | undefined;
  /** How much the server takes of it now. */
  sendWindow: number;
  #head: Head | undefined;
  /** What came of the body before anybody could have it. */
  #ready: Buffer[] = [];
  #body: ChunkQueue | undefined;
  /** Bytes that the server has not been told were taken. */
  #untold = 0;
  #isFull = false;
  /** The answer is complete, or there will be none. */
  isOver = false;

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
    this.#signal = request.signal;
    this.unsent = request.body && request.body.length > 0 ? request.body : undefined;
    this.sendWindow = sendWindow;
    this.#resolve = resolve;
    this.#reject = reject;
    const { signal } = request;
    this.#unlink = onAbort(signal, () => {
      this.isOver = true;
      this.#reject(signal?.reason);
      owner.onGivenUp(this);
    });
  }

  get isAwaited(): boolean {
    return this.#head === undefined;
  }

  /** The head of the answer, or what comes after its body, of which nobody wants to know. */
  onHeaders(fields: readonly HeaderField[]): void {
    if (this.#head) return;
    const head = headOf(fields);
    // Provisional: the answer is still to come.
    if (head.status >= 200) this.#head = head;
  }

  onData(piece: Buffer): void {
    if (!this.#head) throw malformed('a body without a head');
    this.#untold += piece.length;
    if (this.#body) this.#isFull = !this.#body.write(piece);
    else this.#ready.push(piece);
    this.#tell();
  }

  onEnd(): void {
    if (!this.#head) throw malformed('an answer without a head');
    this.isOver = true;
  }

  /** Hands over what the last bytes brought. */
  advance(): void {
    if (!this.#head) return;
    if (this.#body) {
      if (this.isOver) this.#body.end();
      return;
    }
    this.#unlink();
    if (this.isOver) {
      this.#resolve({ ...this.#head, body: bodyOf(joinChunks(this.#ready)) });
      return;
    }
    const body = new ChunkQueue(this.#signal);
    this.#body = body;
    body.onClose(() => {
      if (this.isOver) return;
      this.isOver = true;
      this.#owner.onGivenUp(this);
    });
    body.onDrain(() => {
      this.#isFull = false;
      this.#tell();
    });
    for (const piece of this.#ready) this.#isFull = !body.write(piece);
    this.#ready = [];
    this.#resolve({ ...this.#head, body });
  }

  /** There will be no more. */
  fail(reason: TransportError): void {
    this.isOver = true;
    this.#unlink();
    if (this.#body) this.#body.fail(reason);
    else if (!this.#head) this.#reject(reason);
    else {
      // What came before it broke can be read.
      const body = new ChunkQueue(this.#signal);
      for (const piece of this.#ready) body.write(piece);
      body.fail(reason);
      this.#resolve({ ...this.#head, body });
    }
  }

  #tell(): void {
    if (this.#isFull || this.isOver || this.#untold < streamWindow / 2) return;
    this.#owner.onTaken(this, this.#untold);
    this.#untold = 0;
  }
}

function headOf(fields: readonly HeaderField[]): Head {
  // Names come from outside: nothing may reach a prototype.
  const headers: Record<string, string | string[]> = Object.create(null);
  let status = 0;
  for (const { name, value } of fields) {
    if (name === ':status') {
      status = Number(value);
      continue;
    }
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  if (!(status >= 100 && status <= 999)) throw malformed('an answer without a status');
  return { status, headers };
}
