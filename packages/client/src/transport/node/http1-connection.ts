import type { Socket } from 'node:net';
import { onAbort } from '@coxswain/apimachinery/abort';
import { ChunkQueue } from '../chunk-queue.ts';
import { bodyOf, joinChunks } from '../response-body.ts';
import { TransportError, type TransportRequest, type TransportResponse } from '../transport.ts';
import { codeOf } from './dial.ts';
import { Http1ResponseParser, type ResponseEvents, type ResponseHead } from './http1-response-parser.ts';

/** Bodies up to this length are sent in one write with the head. */
const smallBody = 64 * 1024;

export interface Http1ConnectionOwner {
  /** The response has ended, and the connection can take another request. */
  onFree(connection: Http1Connection): void;
  /** The response has begun and continues. */
  onStreaming(connection: Http1Connection): void;
  /** The connection is closed. Called exactly once. */
  onGone(connection: Http1Connection): void;
}

/** A request and the received part of its response. */
interface Exchange {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  /** Removes the listener on the signal; a streaming body has its own. */
  unlink: () => void;
  head: ResponseHead | undefined;
  /** Parts of the body received before the response was resolved. */
  ready: Buffer[];
  /** The body, if it continues after the first read. */
  body: ChunkQueue | undefined;
  ended: boolean;
}

/** An HTTP/1.1 keep-alive connection: one request at a time. */
export class Http1Connection implements ResponseEvents {
  readonly #socket: Socket;
  readonly #owner: Http1ConnectionOwner;
  readonly #parser = new Http1ResponseParser(this);
  /** Set from a request until the end of its response. */
  #exchange: Exchange | undefined;
  #isSpoilt = false;
  #isGone = false;
  /** Number of completed responses. */
  served = 0;
  /** When it became idle, by the pool's clock. */
  freeSinceMs = 0;
  /** How long the server keeps an idle connection, according to its Keep-Alive header. */
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
   * Sends a request. Its response's body must be read or cancelled before the next request. Rejects with a
   * `StaleConnectionError` when a reused connection was closed before the head of the response was complete.
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

  /** Unreferences the socket, so that it does not keep the process alive. */
  unref(): void {
    this.#socket.unref();
  }

  /** Closes the connection; a request in progress fails with the reason. */
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
      // Data after a complete response invalidates only the connection, not the response.
      if (this.#exchange?.ended) this.#isSpoilt = true;
      else this.#fail(error);
    }
    this.#advance();
  }

  #onEnd(): void {
    if (this.#parser.end()) this.#advance();
    else this.#fail(lost());
  }

  /** Delivers what the last bytes completed. */
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
    // Cancelling a body closes the connection.
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
    // If the server responded before it received the whole request, it will not read the rest.
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

/** A reused connection was closed during a request, possibly because of the server's idle timeout. */
export class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
  override readonly cause: TransportError;

  constructor(cause: TransportError) {
    super(cause.message);
    this.cause = cause;
  }
}

const lost = (cause?: Error): TransportError =>
  new TransportError(cause?.message ?? 'the server closed the connection before the end of the response', {
    code: codeOf(cause) ?? 'ECONNRESET',
    cause,
  });
