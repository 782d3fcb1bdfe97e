import { Agent, type ClientRequest, type IncomingMessage, request as newRequest, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { socketError } from '../proxy/socket-error.ts';
import { openSecureSocket, type SecureSocketOptions } from './secure-socket.ts';
import type { ServiceAddress } from './service-resolver.ts';
import { WebhookCallError } from './webhook-error.ts';

/** How many exchanges with one server go on at a time; the others wait for their turn. */
const defaultMaxConcurrent = 100;
const maxIdle = 25;
const idleTimeoutMs = 90_000;
/** Whoever was heard of so recently has not hung up since. */
const staleAfterMs = 1_000;
/** Differs from upstream, which reads whatever comes. An object, of which an answer is a patch, has at most 3 MiB. */
const defaultMaxAnswerBytes = 8 * 1024 * 1024;

export interface PoolOptions extends Omit<SecureSocketOptions, 'address' | 'signal'> {
  /** Found anew for every connection. */
  readonly address: () => Promise<ServiceAddress>;
  readonly maxConcurrent?: number;
  readonly maxAnswerBytes?: number;
}

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** `Not Found` */
  readonly statusText: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * Connections to one server, kept for the next call. Holds a bounded number of them. What this process sends on its own behalf is a whole
 * body, which is sent again when a kept connection turns out to be closed; requests that are passed on for others are streams, and go by
 * `SocketDialer`.
 */
export class ConnectionPool {
  readonly #agent: SecureAgent;
  readonly #waiting = new Set<() => void>();
  readonly #maxConcurrent: number;
  readonly #maxAnswerBytes: number;
  #active = 0;
  #retired = false;

  constructor(options: PoolOptions) {
    this.#maxConcurrent = options.maxConcurrent ?? defaultMaxConcurrent;
    this.#maxAnswerBytes = options.maxAnswerBytes ?? defaultMaxAnswerBytes;
    this.#agent = new SecureAgent(options);
  }

  /**
   * Sends a request. Rejects with an Error in Go's words: a BrokenAnswer when there was the beginning of an answer. Gives
   * answers of any status, redirects too.
   */
  async send(exchange: Exchange): Promise<Answer> {
    await this.#turn(exchange.signal);
    try {
      return await this.#attempt(exchange);
    } catch (error) {
      // The server has closed a connection that it thought idle: there are others.
      if (error instanceof ClosedIdle) return await this.#attempt(exchange);
      throw error;
    } finally {
      this.#active--;
      const [next] = this.#waiting;
      if (next) next();
      else if (this.#retired && this.#active === 0) this.close();
    }
  }

  /** Ends all connections, also those in use. */
  close(): void {
    this.#agent.destroy();
  }

  /** The same, once nobody uses them any more. */
  retire(): void {
    this.#retired = true;
    if (this.#active === 0) this.close();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#active >= this.#maxConcurrent && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.#waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.#waiting.add(done);
        signal.addEventListener('abort', done);
      });
    }
    signal.throwIfAborted();
    this.#active++;
  }

  #attempt({ method, path, headers, body, signal }: Exchange): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = this.#agent.request({ method, path, headers }, signal);
      let stale = false;
      request.on('socket', (socket) => {
        stale = request.reusedSocket && this.#agent.idleMs(socket) > staleAfterMs;
      });
      let answered = false;
      request.on('error', (error) => {
        // Whoever reads the answer tells of it.
        if (answered) return;
        if (signal.aborted) reject(signal.reason);
        else reject(stale ? new ClosedIdle() : failureOf(error, this.#agent.lastAddress));
      });
      request.on('response', (response) => {
        answered = true;
        const { statusCode: status = 0, statusMessage: statusText = '' } = response;
        readAnswer(response, request, this.#maxAnswerBytes).then(
          (content) => resolve({ status, statusText, headers: response.headers, body: content }),
          reject,
        );
      });
      request.end(body);
    });
  }
}

/** Connections over TLS, whose other end is known before anybody speaks. */
class SecureAgent extends Agent {
  readonly #pool: PoolOptions;
  readonly #freedAt = new WeakMap<Duplex, number>();
  /** Of the request that is being made: it asks for its connection at once, if it needs one, and without its signal. */
  #signal: AbortSignal | undefined;
  lastAddress: ServiceAddress = { host: '', port: 0 };

  constructor(pool: PoolOptions) {
    super({ keepAlive: true, maxFreeSockets: maxIdle, timeout: idleTimeoutMs, scheduling: 'lifo' });
    this.#pool = pool;
    this.on('free', (socket: Duplex) => this.#freedAt.set(socket, performance.now()));
  }

  /** How long nobody has needed the connection. */
  idleMs(socket: Duplex): number {
    return performance.now() - (this.#freedAt.get(socket) ?? performance.now());
  }

  /** A request that takes its connection attempt with it when it is given up. */
  request(options: Pick<RequestOptions, 'method' | 'path' | 'headers'>, signal: AbortSignal): ClientRequest {
    this.#signal = signal;
    try {
      return newRequest({ ...options, agent: this, signal });
    } finally {
      this.#signal = undefined;
    }
  }

  override createConnection(_: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    void this.#connect(this.#signal).then(
      (socket) => callback?.(null, socket),
      // There is no stream then, whatever the type says.
      (error) => callback?.(error, undefined as never),
    );
  }

  async #connect(signal: AbortSignal | undefined): Promise<Duplex> {
    this.lastAddress = await this.#pool.address();
    return openSecureSocket({ ...this.#pool, address: this.lastAddress, signal });
  }
}

class ClosedIdle extends Error {}

/** An answer began, and did not come to its end. */
export class BrokenAnswer extends Error {}

function failureOf(error: Error, { host, port }: ServiceAddress): Error {
  if (error instanceof WebhookCallError || !('code' in error)) return error;
  const target = { scheme: 'https', host, port: String(port), trust: 'none' } as const;
  return socketError(error, target, 'connected');
}

async function readAnswer(response: IncomingMessage, request: ClientRequest, maxAnswerBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxAnswerBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new BrokenAnswer('unexpected EOF', { cause });
  }
  if (size <= maxAnswerBytes) return Buffer.concat(chunks);
  request.destroy();
  throw new BrokenAnswer(`the answer is longer than ${maxAnswerBytes} bytes`);
}
