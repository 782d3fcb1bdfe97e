import { Agent, type ClientRequest, type IncomingMessage, request as newRequest, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { socketError } from '../proxy/socket-error.ts';
import { openSecureSocket, type SecureSocketOptions } from './secure-socket.ts';
import type { ServiceAddress } from './service-resolver.ts';
import { WebhookCallError } from './webhook-error.ts';

/** The number of concurrent requests to one server. Further requests wait. */
const defaultMaxConcurrent = 100;
const maxIdle = 25;
const idleTimeoutMs = 90_000;
/** A kept connection that was idle for less than this is assumed to be open. */
const staleAfterMs = 1_000;
/** The limit of response bodies. Differs from upstream, which has none. Responses are patches of objects, which have at most 3 MiB. */
const defaultMaxAnswerBytes = 8 * 1024 * 1024;

export interface PoolOptions extends Omit<SecureSocketOptions, 'address' | 'signal'> {
  /** Resolves the address. Called for every connection. */
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
  /** Such as `Not Found`. */
  readonly statusText: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * A bounded number of keep-alive connections to one server, for requests of this process itself. Their bodies are buffers, so a request
 * can be sent again when a kept connection turns out to be closed. Proxied requests, whose bodies are streams, use `SocketDialer`.
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
   * Sends a request. Resolves with responses of any status, also redirects. Rejects with an Error that has Go's message; with a
   * BrokenAnswer when the response was incomplete.
   */
  async send(exchange: Exchange): Promise<Answer> {
    await this.#turn(exchange.signal);
    try {
      return await this.#attempt(exchange);
    } catch (error) {
      // The server had closed the idle connection. Retry with another one.
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

  /** Closes the pool once no request uses it. */
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
        // After the response began, `readAnswer` reports the error.
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

/** An agent whose TLS connections are verified before anything is sent. */
class SecureAgent extends Agent {
  readonly #pool: PoolOptions;
  readonly #freedAt = new WeakMap<Duplex, number>();
  /**
   * The signal of the request that is being created. Node calls `createConnection` synchronously, if the request needs a connection,
   * but without the signal.
   */
  #signal: AbortSignal | undefined;
  lastAddress: ServiceAddress = { host: '', port: 0 };

  constructor(pool: PoolOptions) {
    super({ keepAlive: true, maxFreeSockets: maxIdle, timeout: idleTimeoutMs, scheduling: 'lifo' });
    this.#pool = pool;
    this.on('free', (socket: Duplex) => this.#freedAt.set(socket, performance.now()));
  }

  /** Returns how long the connection was idle. */
  idleMs(socket: Duplex): number {
    return performance.now() - (this.#freedAt.get(socket) ?? performance.now());
  }

  /** Creates a request. Aborting the signal also aborts its connection attempt. */
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
      // The type requires a stream, but there is none after an error.
      (error) => callback?.(error, undefined as never),
    );
  }

  async #connect(signal: AbortSignal | undefined): Promise<Duplex> {
    this.lastAddress = await this.#pool.address();
    return openSecureSocket({ ...this.#pool, address: this.lastAddress, signal });
  }
}

class ClosedIdle extends Error {}

/** A response began but was incomplete or too long. */
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
