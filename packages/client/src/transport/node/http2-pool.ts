import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../clock/clock.ts';
import { onAbort } from '../on-abort.ts';
import { TransportError, type TransportRequest, type TransportResponse } from '../transport.ts';
import type { ConnectionPool, RequestDefaults } from './connection-pool.ts';
import { Http2Connection, type Http2ConnectionOwner } from './http2-connection.ts';

/** So many connections may be closed before they were of any use. */
const mostLost = 3;

/**
 * HTTP/2 connections to one server with one identity: requests share one, and a further one is opened when the server
 * wants no more at a time on those there are. When the server turns out to speak only HTTP/1.1, that is used.
 */
export class Http2Pool implements ConnectionPool, Http2ConnectionOwner {
  readonly #dial: (signal: AbortSignal) => Promise<Socket>;
  readonly #newFallback: () => ConnectionPool;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #connections = new Set<Http2Connection>();
  /** The connection that is being opened for all who wait; rejects for all. */
  #opening: Promise<void> | undefined;
  /** How many wait for it; it is given up with the last. */
  #waiting = 0;
  #dialing = new AbortController();
  #fallback: ConnectionPool | undefined;
  #isRetired = false;
  #closed: TransportError | undefined;

  constructor(
    dial: (signal: AbortSignal) => Promise<Socket>,
    newFallback: () => ConnectionPool,
    defaults: RequestDefaults,
    clock: Clock,
  ) {
    this.#dial = dial;
    this.#newFallback = newFallback;
    this.#defaults = defaults;
    this.#clock = clock;
  }

  get isDrained(): boolean {
    return this.#connections.size === 0 && this.#waiting === 0 && (this.#fallback?.isDrained ?? true);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    for (let isRetry = false; ; isRetry = true) {
      const connection = this.#fallback ? undefined : (this.#withRoom() ?? (await this.#wait(request.signal)));
      if (!connection) return await this.#fallback!.send(request);
      try {
        return await connection.send(request);
      } catch (error) {
        // The server has not looked at it: it was closing the connection, or had enough to do.
        if (isRetry || !(error instanceof TransportError) || error.mayHaveBeenSent) throw error;
      }
    }
  }

  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#connections) connection.retire();
    this.#fallback?.retire();
  }

  close(reason: TransportError): void {
    this.#closed = reason;
    this.retire();
    for (const connection of this.#connections) connection.destroy(reason);
    this.#dialing.abort(reason);
    this.#fallback?.close(reason);
  }

  onGone(connection: Http2Connection): void {
    this.#connections.delete(connection);
  }

  #withRoom(): Http2Connection | undefined {
    for (const connection of this.#connections) if (connection.hasRoom) return connection;
    return undefined;
  }

  /** Undefined when there is only HTTP/1.1. */
  async #wait(signal: AbortSignal | undefined): Promise<Http2Connection | undefined> {
    this.#waiting++;
    let lost = 0;
    try {
      for (;;) {
        if (this.#closed) throw this.#closed;
        await abortable(this.#opened(), signal);
        if (this.#fallback) return undefined;
        const connection = this.#withRoom();
        if (connection) return connection;
        // Others were quicker, or the server closes what it has just accepted.
        if (this.#connections.size === 0 && ++lost >= mostLost) {
          throw new TransportError('the server closes every connection', {
            code: 'ECONNRESET',
            mayHaveBeenSent: false,
          });
        }
      }
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) {
        // Who comes next opens one of their own.
        this.#opening = undefined;
        this.#dialing.abort(new TransportError('nobody waits any more'));
      }
    }
  }

  #opened(): Promise<void> {
    if (this.#opening) return this.#opening;
    const opening = this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  async #open(): Promise<void> {
    this.#dialing = new AbortController();
    const [socket, { connect }] = await Promise.all([this.#dial(this.#dialing.signal), import('node:http2')]);
    if (this.#closed || !isHttp2(socket)) {
      socket.on('error', () => {});
      socket.destroy();
      if (this.#closed) throw this.#closed;
      this.#fallback = this.#newFallback();
      return;
    }
    const connection = new Http2Connection(socket, {
      connect,
      defaults: this.#defaults,
      clock: this.#clock,
      owner: this,
    });
    this.#connections.add(connection);
    if (this.#isRetired && this.#waiting === 0) connection.retire();
  }
}

const isHttp2 = (socket: Socket): socket is TLSSocket => 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';

/** The same, or the signal's reason if that comes first. */
function abortable(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const unlink = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(unlink);
  });
}
