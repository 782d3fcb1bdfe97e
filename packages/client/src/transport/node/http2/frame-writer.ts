import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { TransportError } from '../../transport.ts';

/** Pieces up to this length are joined; longer ones go as they are. */
const longestJoined = 64 * 1024;
/** So much is joined in memory that is used again. */
const sharedBytes = 16 * 1024;
/** Somebody who asks and asks, but does not read our answers, is not answered for ever. */
const mostUnreadReplies = 1024 * 1024;

/** Sends what was added in one turn of the event loop in one piece: to write to a socket costs more than to make a request. */
export class FrameWriter {
  readonly #socket: Socket;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isFlushing = false;
  readonly #shared = Buffer.allocUnsafeSlow(sharedBytes);
  /** The socket has not sent all that was joined there last. */
  #isSharedInUse = false;
  #lastBegun = 0;
  #lastSent = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  add(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#bytes += piece.length;
    }
    if (this.#bytes > longestJoined) this.flush();
    else if (!this.#isFlushing) {
      this.#isFlushing = true;
      setImmediate(this.#flushed);
    }
  }

  /** Throws a `TransportError` when too much of what was asked for is not read. */
  addReply(piece: Uint8Array): void {
    if (this.#socket.writableLength > mostUnreadReplies) {
      throw new TransportError('the server does not read what it asks for', { code: 'EPROTO' });
    }
    this.add(piece);
  }

  /** What was added last began a stream. */
  began(stream: number): void {
    this.#lastBegun = stream;
    if (this.#bytes === 0) this.#lastSent = stream;
  }

  /** Whether anything of the stream may have gone out. */
  hasSent(stream: number): boolean {
    return stream <= this.#lastSent;
  }

  flush(): void {
    if (this.#bytes === 0 || this.#socket.destroyed) return;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#lastSent = this.#lastBegun;
    const total = this.#bytes;
    this.#bytes = 0;
    if (pieces.length === 1) this.#socket.write(pieces[0]!);
    else if (total <= sharedBytes && !this.#isSharedInUse) this.#writeShared(pieces);
    else if (total <= longestJoined * 2) this.#socket.write(Buffer.concat(pieces, total));
    else this.#writeEach(pieces);
  }

  #writeShared(pieces: readonly Uint8Array[]): void {
    let length = 0;
    for (const piece of pieces) {
      this.#shared.set(piece, length);
      length += piece.length;
    }
    this.#isSharedInUse = true;
    this.#socket.write(this.#shared.subarray(0, length), () => {
      this.#isSharedInUse = false;
    });
  }

  #writeEach(pieces: readonly Uint8Array[]): void {
    this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }

  readonly #flushed = (): void => {
    this.#isFlushing = false;
    this.flush();
  };
}
