import type { Socket } from 'node:net';
import { onAbort } from '@coxswain/apimachinery/abort';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { TransportError, TransportRequest, TransportResponse } from '../transport.ts';
import type { ConnectionPool, RequestDefaults } from './connection-pool.ts';
import { Http1Connection, type Http1ConnectionOwner, StaleConnectionError } from './http1-connection.ts';
import { requestHead } from './request-head.ts';

/**
 * Maximum number of idle connections. Differs from client-go, which keeps 25 but mostly uses one HTTP/2 connection:
 * with fewer idle connections than concurrent requests, connections would be opened and closed all the time.
 */
const mostFree = 100;
const longestFreeMs = 90_000;
/**
 * Maximum number of connections opened concurrently. Further requests wait for one of these or for a free one,
 * whichever is first.
 */
const mostDialing = 32;
/**
 * When this many requests await a response, others wait for a free connection, because opening one is more work for
 * both sides than several requests. Watches and other streaming responses do not count.
 */
const mostAwaited = 32;
/**
 * When no connection becomes free for this long, responses are slow, and connections are opened nevertheless: one, then
 * two, then four, and so on. So a busy server does not get handshakes in addition, and a burst leaves no more
 * connections than can be kept.
 */
const stallMs = 50;

interface Waiting {
  readonly use: (connection: Http1Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Keep-alive connections to one server with one client certificate. A connection is used by one request until the end
 * of its response.
 */
export class Http1Pool implements ConnectionPool, Http1ConnectionOwner {
  readonly #dial: (signal: AbortSignal) => Promise<Socket>;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #all = new Set<Http1Connection>();
  /** Idle connections, the most recently used last; that is used next. */
  #free: Http1Connection[] = [];
  /** Connections with a streaming response. */
  readonly #streaming = new Set<Http1Connection>();
  readonly #waiting = new Set<Waiting>();
  /** Connections being opened. */
  readonly #dialing = new Set<AbortController>();
  #sweep: Timer | undefined;
  /** Set while requests only wait for free connections. */
  #stallCheck: Timer | undefined;
  #lastFreeMs = 0;
  /** Number of connections to open at the next check if none has become free. */
  #stallOpens = 1;
  #isRetired = false;
  #closed: TransportError | undefined;

  constructor(dial: (signal: AbortSignal) => Promise<Socket>, defaults: RequestDefaults, clock: Clock) {
    this.#dial = dial;
    this.#defaults = defaults;
    this.#clock = clock;
  }

  get isDrained(): boolean {
    return this.#all.size === 0 && this.#waiting.size === 0;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const head = requestHead(request, this.#defaults);
    const connection = this.#takeFree() ?? (await this.#wait(request.signal));
    try {
      return await connection.send(request, head);
    } catch (error) {
      if (!(error instanceof StaleConnectionError)) throw error;
      if (!isSafe(request.method)) throw error.cause;
    }
    // A connection that was just used, or a new one.
    const fresh = await this.#wait(request.signal);
    try {
      return await fresh.send(request, head);
    } catch (error) {
      throw error instanceof StaleConnectionError ? error.cause : error;
    }
  }

  /** Closes idle connections at once, and the others when they become idle. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#free.splice(0)) connection.destroy();
    this.#sweep?.cancel();
    this.#stallCheck?.cancel();
    this.#stallCheck = undefined;
  }

  close(reason: TransportError): void {
    this.#closed = reason;
    this.retire();
    for (const connection of this.#all) connection.destroy(reason);
    for (const waiting of this.#waiting) waiting.reject(reason);
    this.#waiting.clear();
    this.#giveUpDialing();
  }

  onFree(connection: Http1Connection): void {
    this.#streaming.delete(connection);
    if (this.#stallCheck) this.#lastFreeMs = this.#clock.monotonic();
    if (connection.served > 0) this.#stallOpens = 1;
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next.use(connection);
      return;
    }
    connection.unref();
    if (this.#isRetired || this.#free.length >= mostFree) {
      connection.destroy();
      return;
    }
    connection.freeSinceMs = this.#clock.monotonic();
    this.#free.push(connection);
    this.#sweep ??= this.#clock.setTimeout(() => this.#closeOld(), longestFreeMs / 2, { background: true });
  }

  onStreaming(connection: Http1Connection): void {
    this.#streaming.add(connection);
    if (this.#waiting.size > 0) this.#dialAsNeeded();
  }

  onGone(connection: Http1Connection): void {
    this.#all.delete(connection);
    this.#streaming.delete(connection);
    const at = this.#free.indexOf(connection);
    if (at !== -1) this.#free.splice(at, 1);
    if (this.#waiting.size > 0) this.#dialAsNeeded();
  }

  #takeFree(): Http1Connection | undefined {
    for (;;) {
      const connection = this.#free.pop();
      if (!connection || !this.#isOld(connection)) return connection;
      connection.destroy();
    }
  }

  #isOld({ freeSinceMs, keepAliveMs }: Http1Connection): boolean {
    // One second before the server's timeout, so that no request is sent while the server closes the connection.
    return this.#clock.monotonic() - freeSinceMs > Math.min(longestFreeMs, keepAliveMs - 1000);
  }

  #closeOld(): void {
    this.#sweep = undefined;
    for (const connection of this.#free.filter((each) => this.#isOld(each))) connection.destroy();
    if (this.#free.length > 0)
      this.#sweep = this.#clock.setTimeout(() => this.#closeOld(), longestFreeMs / 2, { background: true });
  }

  #wait(signal: AbortSignal | undefined): Promise<Http1Connection> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const settle = onAbort(signal, () => {
        this.#waiting.delete(waiting);
        reject(signal?.reason);
        this.#giveUpDialing();
      });
      const waiting: Waiting = {
        use: (connection) => {
          settle();
          resolve(connection);
        },
        reject: (reason) => {
          settle();
          reject(reason);
        },
      };
      this.#waiting.add(waiting);
      this.#dialAsNeeded();
    });
  }

  /** Opens connections for waiting requests, within the limits. */
  #dialAsNeeded(): void {
    const mayOpen = mostAwaited - (this.#all.size - this.#free.length - this.#streaming.size);
    const wanted = Math.min(this.#waiting.size, mostDialing);
    while (this.#dialing.size < Math.min(wanted, mayOpen)) this.#open();
    if (this.#dialing.size >= wanted || this.#stallCheck) return;
    this.#lastFreeMs = this.#clock.monotonic();
    this.#checkStall(stallMs);
  }

  #checkStall(afterMs: number): void {
    this.#stallCheck = this.#clock.setTimeout(() => {
      this.#stallCheck = undefined;
      const leftMs = this.#lastFreeMs + stallMs - this.#clock.monotonic();
      if (this.#waiting.size === 0) return;
      if (leftMs <= 0) {
        const wanted = Math.min(this.#waiting.size, mostDialing, this.#dialing.size + this.#stallOpens);
        while (this.#dialing.size < wanted) this.#open();
        this.#stallOpens *= 2;
      }
      this.#checkStall(leftMs <= 0 ? stallMs : leftMs);
    }, afterMs);
  }

  /**
   * Aborts opening surplus connections after waiting requests were aborted. Connections whose request was served by
   * another one are opened completely, because there were too few.
   */
  #giveUpDialing(): void {
    for (const dialing of this.#dialing) {
      if (this.#dialing.size <= this.#waiting.size) break;
      this.#dialing.delete(dialing);
      dialing.abort();
    }
  }

  #open(): void {
    const dialing = new AbortController();
    this.#dialing.add(dialing);
    this.#dial(dialing.signal).then(
      (socket) => {
        const isWanted = this.#dialing.delete(dialing);
        const connection = new Http1Connection(socket, this);
        if (!isWanted) return connection.destroy();
        this.#all.add(connection);
        this.onFree(connection);
        // More requests may wait than are opened concurrently, while the open connections have streaming responses.
        this.#dialAsNeeded();
      },
      (error: unknown) => {
        if (!this.#dialing.delete(dialing)) return;
        const [first] = this.#waiting;
        if (first) {
          this.#waiting.delete(first);
          first.reject(error);
        }
        this.#dialAsNeeded();
      },
    );
  }
}

/** Methods that can be retried safely, as in Go. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
