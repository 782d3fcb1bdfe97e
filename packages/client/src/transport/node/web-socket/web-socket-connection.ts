import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { RawData, WebSocket } from 'ws';
import { TransportError, type WebSocketConnection } from '../../transport.ts';

/** When more than this is unread, the socket is paused. */
const maxReceivedBytes = 1024 * 1024;

/** When more than this is unsent, `send` waits. */
const maxUnsentBytes = 1024 * 1024;

/**
 * As in client-go: interval of pings, and the silence (a dozen pings) after which the connection is considered dead.
 */
const pingPeriodMs = 5_000;
const silenceMs = 61_000;

/** How long to wait for the close frame of the other side. */
const closeTimeoutMs = 2_000;

const normalClosure = 1000;
/** Codes of normal closures: normal, going away, no status. */
const properClosures = new Set([normalClosure, 1001, 1005]);

/** An open WebSocket of the `ws` library. */
export class NodeWebSocketConnection implements WebSocketConnection {
  readonly protocol: string;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  /** Received and unread; at most `maxReceivedBytes` plus one read of the socket. */
  #received: Uint8Array[] = [];
  #receivedBytes = 0;
  /** Set once; messages received before are still returned. */
  #end: { readonly failure?: unknown } | undefined;
  #wake: (() => void) | undefined;
  /** Rejects pending `send` calls. */
  readonly #unsent = new Set<(error: unknown) => void>();
  #lastHeard: number;
  #timer: Timer;

  constructor(socket: WebSocket, protocol: string, clock: Clock, signal?: AbortSignal) {
    this.#socket = socket;
    this.protocol = protocol;
    this.#clock = clock;
    this.#signal = signal;
    this.#lastHeard = clock.monotonic();
    socket.on('message', (data) => this.#receive(data));
    socket.on('ping', () => this.#heard());
    socket.on('pong', () => this.#heard());
    socket.on('error', (cause) => this.#finish(new TransportError(`the WebSocket broke: ${cause.message}`, { cause })));
    socket.on('close', (code, reason) => this.#closed(code, reason.toString()));
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#timer = clock.setTimeout(this.#beat, pingPeriodMs, { background: true });
  }

  send(message: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end) {
        reject(this.#end.failure ?? closedError());
        return;
      }
      if (this.#socket.bufferedAmount < maxUnsentBytes) {
        this.#socket.send(message);
        resolve();
        return;
      }
      this.#unsent.add(reject);
      this.#socket.send(message, (cause) => {
        this.#unsent.delete(reject);
        if (cause) reject(new TransportError(`the WebSocket broke: ${cause.message}`, { cause }));
        else resolve();
      });
    });
  }

  async *messages(): AsyncIterable<Uint8Array> {
    for (;;) {
      const received = this.#received;
      this.#received = [];
      this.#receivedBytes = 0;
      if (this.#socket.isPaused) {
        this.#heard();
        this.#socket.resume();
      }
      yield* received;
      if (received.length > 0 || this.#received.length > 0) continue;
      if (this.#end) {
        if ('failure' in this.#end) throw this.#end.failure;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(code: number = normalClosure, reason?: string): void {
    if (this.#end) return;
    this.#finish();
    this.#received = [];
    // The close frame of the other side may follow unread messages.
    this.#socket.resume();
    this.#socket.close(code, reason);
    this.#timer = this.#clock.setTimeout(() => this.#socket.terminate(), closeTimeoutMs);
  }

  readonly #abort = (): void => {
    this.#finish(this.#signal?.reason);
    this.#socket.terminate();
  };

  readonly #beat = (): void => {
    // No data is received while the socket is paused.
    if (!this.#socket.isPaused && this.#clock.monotonic() - this.#lastHeard > silenceMs) {
      this.#finish(new TransportError('the WebSocket broke: no response to pings', { code: 'ETIMEDOUT' }));
      this.#socket.terminate();
      return;
    }
    this.#socket.ping();
    this.#timer = this.#clock.setTimeout(this.#beat, pingPeriodMs, { background: true });
  };

  #receive(data: RawData): void {
    this.#heard();
    if (this.#end) return;
    const message = toBytes(data);
    this.#received.push(message);
    this.#receivedBytes += message.length;
    if (this.#receivedBytes > maxReceivedBytes) this.#socket.pause();
    this.#notify();
  }

  #heard(): void {
    this.#lastHeard = this.#clock.monotonic();
  }

  #closed(code: number, reason: string): void {
    this.#timer.cancel();
    if (properClosures.has(code)) this.#finish();
    else this.#finish(new TransportError(`the WebSocket broke: ${reason || `code ${code}`}`, { code: String(code) }));
  }

  #finish(failure?: unknown): void {
    this.#timer.cancel();
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#end ??= failure === undefined ? {} : { failure };
    for (const reject of this.#unsent) reject(this.#end.failure ?? closedError());
    this.#unsent.clear();
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

const closedError = (): TransportError => new TransportError('the WebSocket is closed');

function toBytes(data: RawData): Uint8Array {
  if (data instanceof Uint8Array) return data;
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data);
}
