import type { Socket } from 'node:net';
import { onAbort } from '@coxswain/apimachinery/abort';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { TransportError, TransportRequest, TransportResponse } from '../transport.ts';
import type { ConnectionPool, RequestDefaults } from './connection-pool.ts';
import { Http1Connection, type Http1ConnectionOwner, StaleConnectionError } from './http1-connection.ts';
import { requestHead } from './request-head.ts';

/**
 * Differs from client-go, which keeps 25 and mostly speaks HTTP/2, where one does for all: with fewer than there are
 * requests at a time, connections would be opened and closed all the time.
 */
const mostFree = 100;
const longestFreeMs = 90_000;
/** So many are opened at a time; more requests wait for one of these or for one that becomes free, whichever is first. */
const mostDialing = 32;
/**
 * With so many requests whose answer has not begun, others wait for a connection to become free: to open one takes more work
 * than several requests, on both sides. Watches do not count, nor do other answers that go on.
 */
const mostAwaited = 32;
/**
 * Unless none becomes free for so long: then the answers are slow ones, and one more is opened, then two, four … A server that only
 * has its hands full is not given handshakes to do as well, and a burst leaves no more connections than can be kept.
 */
const stallMs = 50;

interface Waiting {
  readonly use: (connection: Http1Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/** Keep-alive connections to one server with one identity. A request has a connection for itself until its answer ends. */
export class Http1Pool implements ConnectionPool, Http1ConnectionOwner {
  readonly #dial: (signal: AbortSignal) => Promise<Socket>;
  readonly #defaults: RequestDefaults;
  readonly #clock: Clock;
  readonly #all = new Set<Http1Connection>();
  /** The one that was used last is at the end, and used next. */
  #free: Http1Connection[] = [];
  /** Those whose answer has begun and goes on. */
  readonly #streaming = new Set<Http1Connection>();
  readonly #waiting = new Set<Waiting>();
  /** Connections that are being opened. */
  readonly #dialing = new Set<AbortController>();
  #sweep: Timer | undefined;
  /** Set while requests wait only for connections to become free. */
  #stallCheck: Timer | undefined;
  #lastFreeMs = 0;
  /** How many to open at the next check that finds nothing became free. */
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
    // One that has just served, or a new one.
    const fresh = await this.#wait(request.signal);
    try {
      return await fresh.send(request, head);
    } catch (error) {
      throw error instanceof StaleConnectionError ? error.cause : error;
    }
  }

  /** No more requests will come; what is free is closed, the rest as it becomes free. */
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
    // A second before the server would: a request must not cross with its closing.
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

  /** Opens as many connections as are waited for, and worth it. */
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
   * Gives up opening connections for which nobody waits, because those who did have gone. While they only were served by
   * others sooner, connections are opened to the end: there were too few.
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
        // More may wait than are opened at a time, for as long as others watch.
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

/** What may be sent twice without harm, by Go's judgement. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
