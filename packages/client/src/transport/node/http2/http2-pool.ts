import type { Socket } from 'node:net';
import { onAbort } from '@coxswain/apimachinery/abort';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { TransportError, type TransportRequest, type TransportResponse } from '../../transport.ts';
import type { ConnectionPool, RequestDefaults } from '../connection-pool.ts';
import { SocketReader } from '../socket-reader.ts';
import { Http2Connection, type Http2ConnectionOwner } from './http2-connection.ts';

/** When no answer comes for so long, others do not wait for it any more: a further connection is opened. */
const stallMs = 50;

/** Opens a connection, with that reader if it can. */
type DialForHttp2 = (signal: AbortSignal, reader: SocketReader) => Promise<Socket>;

/** A request that no connection has room for. */
interface Waiting {
  /** Without a connection there is only HTTP/1.1. */
  readonly start: (connection: Http2Connection | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * HTTP/2 connections to one server with one identity. Requests share one; when the server takes no more at a time, they wait until
 * others have been answered. A further connection is opened when those there are have nothing but answers that go on, such as watches,
 * or nothing is answered for a while. When the server turns out to speak only HTTP/1.1, that is used.
 */
export class Http2Pool implements ConnectionPool, Http2ConnectionOwner {
  readonly #dial: DialForHttp2;
  readonly #newFallback: () => ConnectionPool;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #connections = new Set<Http2Connection>();
  readonly #waiting = new Set<Waiting>();
  /** Set while a connection is being opened; it is given up when nobody waits any more. */
  #dialing: AbortController | undefined;
  /** Set while requests wait only for others to be answered. */
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
      // The server has not looked at it: it was closing the connection, or had enough to do.
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

  /** Starts as many as there is room for. */
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

  /** Does not reject: who waits hears of it. */
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
      // Others may be answered yet.
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

  /** Who comes next opens a connection of their own. */
  #stopWaiting(): void {
    this.#stallCheck?.cancel();
    this.#stallCheck = undefined;
    this.#dialing?.abort(new TransportError('nobody waits any more'));
    this.#dialing = undefined;
  }
}

/** The connection did not take the request: another may. */
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
