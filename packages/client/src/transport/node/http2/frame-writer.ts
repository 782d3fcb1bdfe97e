import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { TransportError } from '../../transport.ts';

/** Pieces are joined up to this length; longer ones are written separately. */
const longestJoined = 64 * 1024;
/** Size of the reused buffer for joining pieces. */
const sharedBytes = 16 * 1024;
/** Maximum unsent bytes for replies: a server that does not read replies gets no more. */
const mostUnreadReplies = 1024 * 1024;

/**
 * Sends everything added in one turn of the event loop with one write: writing to a socket costs more than creating a
 * request.
 */
export class FrameWriter {
  readonly #socket: Socket;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isFlushing = false;
  readonly #shared = Buffer.allocUnsafeSlow(sharedBytes);
  /** The last write from the shared buffer has not completed. */
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

  /** Adds a reply. Throws a `TransportError` when the server does not read its replies. */
  addReply(piece: Uint8Array): void {
    if (this.#socket.writableLength > mostUnreadReplies) {
      throw new TransportError('the server does not read the replies to its frames', { code: 'EPROTO' });
    }
    this.add(piece);
  }

  /** Records that the last added frames opened a stream. */
  began(stream: number): void {
    this.#lastBegun = stream;
    if (this.#bytes === 0) this.#lastSent = stream;
  }

  /** Whether any frame of the stream may have been sent. */
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
