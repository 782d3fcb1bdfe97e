import type { Socket } from 'node:net';
import { onAbort } from '@coxswain/apimachinery/abort';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { TransportError, type TransportRequest, type TransportResponse } from '../../transport.ts';
import type { ConnectionPool, RequestDefaults } from '../connection-pool.ts';
import { SocketReader } from '../socket-reader.ts';
import { Http2Connection, type Http2ConnectionOwner } from './http2-connection.ts';

/** When there is no response for this long, another connection is opened for waiting requests. */
const stallMs = 50;

/** Opens a connection, with the reader if possible. */
type DialForHttp2 = (signal: AbortSignal, reader: SocketReader) => Promise<Socket>;

/** A request that waits for room on a connection. */
interface Waiting {
  /** Undefined means HTTP/1.1. */
  readonly start: (connection: Http2Connection | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * HTTP/2 connections to one server with one client certificate. Requests share one connection. At the server's stream
 * limit they wait until others have been answered. Another connection is opened when all streams of the existing ones
 * are streaming responses, such as watches, or when there is no response for a while. When the server supports only
 * HTTP/1.1, that is used.
 */
export class Http2Pool implements ConnectionPool, Http2ConnectionOwner {
  readonly #dial: DialForHttp2;
  readonly #newFallback: () => ConnectionPool;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #connections = new Set<Http2Connection>();
  readonly #waiting = new Set<Waiting>();
  /** Set while a connection is being opened; aborted when no request waits any more. */
  #dialing: AbortController | undefined;
  /** Set while requests only wait for others to be answered. */
  #stallCheck: Timer | undefined;
  #fallback: ConnectionPool | undefined;
  #isRetired = false;
  #closed: TransportError | undefined;

  constructor(dial: DialForHttp2, newFallback: () => ConnectionPool, defaults: RequestDefaults, clock: Clock) {
    this.#dial = dial;
    this.#newFallback = newFallback;
    this.#defaults = defaults;
    this.#clock = clock;
  }

  get isDrained(): boolean {
    return this.#connections.size === 0 && this.#waiting.size === 0 && (this.#fallback?.isDrained ?? true);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    try {
      return await this.#start(request);
    } catch (error) {
      // The server did not process it: it was closing the connection, or at its limit.
      if (this.#fallback || !(error instanceof NotTakenError)) throw error;
    }
    try {
      return await this.#start(request);
    } catch (error) {
      throw error instanceof NotTakenError ? error.cause : error;
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
    this.#rejectAll(reason);
    this.#fallback?.close(reason);
  }

  onRoom(): void {
    if (this.#waiting.size === 0) return;
    this.#stallCheck?.cancel();
    this.#stallCheck = undefined;
    this.#serve();
  }

  onGone(connection: Http2Connection): void {
    this.#connections.delete(connection);
    if (this.#waiting.size > 0) this.#makeRoom();
  }

  #start(request: TransportRequest): Promise<TransportResponse> {
    if (this.#fallback) return this.#fallback.send(request);
    const connection = this.#waiting.size === 0 ? this.#withRoom() : undefined;
    return connection ? sendOver(connection, request) : this.#wait(request);
  }

  #withRoom(): Http2Connection | undefined {
    for (const connection of this.#connections) if (connection.hasRoom) return connection;
    return undefined;
  }

  #wait(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (this.#closed) return reject(this.#closed);
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        unlink();
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        start: (connection) => {
          leave();
          resolve(connection ? sendOver(connection, request) : this.#fallback!.send(request));
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      const unlink = onAbort(signal, () => {
        waiting.reject(signal?.reason);
        if (this.#waiting.size === 0) this.#stopWaiting();
      });
      this.#waiting.add(waiting);
      this.#makeRoom();
    });
  }

  /** Starts as many waiting requests as there is room for. */
  #serve(): void {
    for (const waiting of this.#waiting) {
      const connection = this.#withRoom();
      if (!connection) break;
      waiting.start(connection);
    }
    if (this.#waiting.size > 0) this.#makeRoom();
  }

  #makeRoom(): void {
    if (this.#dialing || this.#stallCheck) return;
    let awaited = 0;
    for (const connection of this.#connections) awaited += connection.awaited;
    if (awaited === 0) void this.#open();
    else {
      this.#stallCheck = this.#clock.setTimeout(() => {
        this.#stallCheck = undefined;
        if (this.#waiting.size > 0 && !this.#dialing) void this.#open();
      }, stallMs);
    }
  }

  /** Never rejects: errors are passed to the waiting requests. */
  async #open(): Promise<void> {
    const dialing = new AbortController();
    this.#dialing = dialing;
    try {
      const reader = new SocketReader();
      const socket = await this.#dial(dialing.signal, reader);
      if (this.#closed || dialing.signal.aborted) discard(socket);
      else if (isHttp2(socket)) this.#add(socket, reader);
      else {
        discard(socket);
        this.#fallback = this.#newFallback();
        for (const waiting of this.#waiting) waiting.start(undefined);
      }
    } catch (error) {
      // Requests on existing connections may still be answered, and make room.
      if (this.#dialing === dialing && this.#connections.size === 0) this.#rejectAll(error);
    }
    if (this.#dialing !== dialing) return;
    this.#dialing = undefined;
    this.#serve();
  }

  #add(socket: Socket, reader: SocketReader): void {
    const options = { defaults: this.#defaults, clock: this.#clock, owner: this, reader };
    const connection = new Http2Connection(socket, options);
    this.#connections.add(connection);
    this.#serve();
    if (this.#isRetired) connection.retire();
  }

  #rejectAll(reason: unknown): void {
    for (const waiting of this.#waiting) waiting.reject(reason);
    this.#stopWaiting();
  }

  /** The next request opens a new connection. */
  #stopWaiting(): void {
    this.#stallCheck?.cancel();
    this.#stallCheck = undefined;
    this.#dialing?.abort(new TransportError('no request is waiting'));
    this.#dialing = undefined;
  }
}

/** The connection did not accept the request, which can be sent on another. */
class NotTakenError extends Error {}

async function sendOver(connection: Http2Connection, request: TransportRequest): Promise<TransportResponse> {
  try {
    return await connection.send(request);
  } catch (error) {
    if (!(error instanceof TransportError) || error.mayHaveBeenSent) throw error;
    throw new NotTakenError('the connection did not take the request', { cause: error });
  }
}

const isHttp2 = (socket: Socket): boolean => 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';

function discard(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroy();
}
