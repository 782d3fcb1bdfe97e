import type { Socket } from 'node:net';
import { onAbort } from '@coxswain/apimachinery/abort';
import { ChunkQueue } from '../chunk-queue.ts';
import { bodyOf, joinChunks } from '../response-body.ts';
import { TransportError, type TransportRequest, type TransportResponse } from '../transport.ts';
import { codeOf } from './dial.ts';
import { Http1ResponseParser, type ResponseEvents, type ResponseHead } from './http1-response-parser.ts';

/** Bodies up to this length go out in one piece with the head. */
const smallBody = 64 * 1024;

export interface Http1ConnectionOwner {
  /** The answer has ended, and the connection can take another request. */
  onFree(connection: Http1Connection): void;
  /** The answer has begun, and is not known to end soon. */
  onStreaming(connection: Http1Connection): void;
  /** The connection is no more. Always called, once. */
  onGone(connection: Http1Connection): void;
}

/** One request and what has come of its answer. */
interface Exchange {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  /** Stops waiting for the signal; once there is a body, that waits itself. */
  unlink: () => void;
  head: ResponseHead | undefined;
  /** What came of the body before anybody could have it. */
  ready: Buffer[];
  /** The body, once it is known that it does not end with its first piece. */
  body: ChunkQueue | undefined;
  ended: boolean;
}

/** An HTTP/1.1 connection: one request at a time, any number one after another. */
export class Http1Connection implements ResponseEvents {
  readonly #socket: Socket;
  readonly #owner: Http1ConnectionOwner;
  readonly #parser = new Http1ResponseParser(this);
  /** Present from a request until the end of its answer. */
  #exchange: Exchange | undefined;
  #isSpoilt = false;
  #isGone = false;
  /** How many answers came to an end here. */
  served = 0;
  /** When it became free, by the pool's clock. */
  freeSinceMs = 0;
  /** How long the server said that it keeps the connection when it is free. */
  keepAliveMs = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, owner: Http1ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.on('end', () => this.#onEnd());
    socket.on('error', (error: Error) => this.#fail(lost(error)));
    socket.on('close', () => this.#fail(lost()));
  }

  /**
   * Sends the request; the answer's body must be read or cancelled before the next. A rejection because the connection was
   * closed before a byte of the answer is a `StaleConnectionError`.
   */
  send(request: TransportRequest, head: string): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal, body } = request;
      if (this.#isGone) return reject(new StaleConnectionError(lost()));
      if (signal?.aborted) {
        this.#owner.onFree(this);
        return reject(signal.reason);
      }
      const unlink = onAbort(signal, () => this.#fail(signal?.reason));
      this.#exchange = { resolve, reject, signal, unlink, head: undefined, ready: [], body: undefined, ended: false };
      this.#parser.begin(request.method);
      this.#socket.ref();
      if (body === undefined || body.length === 0) this.#socket.write(head);
      else if (body.length <= smallBody) this.#socket.write(Buffer.concat([Buffer.from(head), body]));
      else {
        this.#socket.cork();
        this.#socket.write(head);
        this.#socket.write(body);
        this.#socket.uncork();
      }
    });
  }

  /** Lets the process end although the connection is open. */
  unref(): void {
    this.#socket.unref();
  }

  /** Closes it; what is under way fails for that reason. */
  destroy(reason = lost()): void {
    this.#fail(reason);
  }

  onHead(head: ResponseHead): void {
    this.#exchange!.head = head;
  }

  onBody(chunk: Buffer): void {
    const exchange = this.#exchange!;
    if (!exchange.body) exchange.ready.push(chunk);
    else if (!exchange.body.write(chunk)) this.#socket.pause();
  }

  onEnd(): void {
    this.#exchange!.ended = true;
  }

  #onData(bytes: Buffer): void {
    try {
      this.#parser.push(bytes);
    } catch (error) {
      // What follows a whole answer does not spoil it, only the connection.
      if (this.#exchange?.ended) this.#isSpoilt = true;
      else this.#fail(error);
    }
    this.#advance();
  }

  #onEnd(): void {
    if (this.#parser.end()) this.#advance();
    else this.#fail(lost());
  }

  /** Hands over what the last bytes brought. */
  #advance(): void {
    const exchange = this.#exchange;
    if (!exchange?.head) return;
    const { head, ended, signal } = exchange;
    if (ended) this.#complete(head);
    if (exchange.body) {
      if (ended) exchange.body.end();
      return;
    }
    exchange.unlink();
    const { status, headers } = head;
    if (ended) {
      exchange.resolve({ status, headers, body: bodyOf(joinChunks(exchange.ready)) });
      return;
    }
    const body = new ChunkQueue(signal);
    exchange.body = body;
    // Who gives up the rest gives up the connection.
    body.onClose(() => {
      if (!exchange.ended) this.destroy();
    });
    body.onDrain(() => {
      if (this.#exchange === exchange) this.#socket.resume();
    });
    for (const chunk of exchange.ready) if (!body.write(chunk)) this.#socket.pause();
    exchange.ready = [];
    this.#owner.onStreaming(this);
    exchange.resolve({ status, headers, body });
  }

  #complete({ keepAlive, headers }: ResponseHead): void {
    this.#exchange = undefined;
    this.served++;
    // What the server answered before it had all of the request, it will not read to its end.
    if (!keepAlive || this.#isSpoilt || this.#socket.writableLength > 0 || this.#socket.destroyed) {
      this.destroy();
      return;
    }
    const [, seconds] = /(?:^|,)\s*timeout=(\d+)/.exec(String(headers['keep-alive'] ?? '')) ?? [];
    if (seconds !== undefined) this.keepAliveMs = Number(seconds) * 1000;
    this.#socket.resume();
    this.#owner.onFree(this);
  }

  #fail(reason: unknown): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#socket.destroy();
    if (exchange) {
      exchange.unlink();
      exchange.ended = true;
      if (exchange.body) exchange.body.fail(reason);
      else if (exchange.head === undefined && reason instanceof TransportError && reason.code !== 'EPROTO') {
        exchange.reject(this.served > 0 ? new StaleConnectionError(reason) : reason);
      } else exchange.reject(reason);
    }
    if (this.#isGone) return;
    this.#isGone = true;
    this.#owner.onGone(this);
  }
}

/** A connection that had served before was closed under a request. The server may just have had enough of it. */
export class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
  override readonly cause: TransportError;

  constructor(cause: TransportError) {
    super(cause.message);
    this.cause = cause;
  }
}

const lost = (cause?: Error): TransportError =>
  new TransportError(cause?.message ?? 'the server closed the connection before the end of its answer', {
    code: codeOf(cause) ?? 'ECONNRESET',
    cause,
  });
