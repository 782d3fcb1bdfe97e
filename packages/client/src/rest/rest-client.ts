import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import type { RestConfig } from '../config/rest-config.ts';
import type { RateLimiter } from '../flowcontrol/rate-limiter.ts';
import { TokenBucketRateLimiter } from '../flowcontrol/token-bucket-rate-limiter.ts';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { newTransport } from '../transport/new-transport.ts';
import {
  type ResponseBody,
  type Transport,
  type TransportResponse,
  UpgradeRefusedError,
  type WebSocketConnection,
} from '../transport/transport.ts';
import { JsonWatch } from '../watch/json-watch.ts';
import type { Watch } from '../watch/watch.ts';
import { CallDeadline } from './call-deadline.ts';
import { answeredError, decodeAnswer, decodeText } from './decode-answer.ts';
import { readText } from './read-text.ts';
import { RequestBuilder } from './request-builder.ts';
import { type RestMetrics, restMetrics } from './rest-metrics.ts';
import {
  encodeBody,
  queryString,
  type RawResponse,
  type RestRequest,
  type WebSocketRestRequest,
} from './rest-request.ts';
import { type CallKind, retryDelayAfterErrorMs, retryDelayMs } from './retry-policy.ts';
import { logWarnings, parseWarnings, type WarningHandler } from './warnings.ts';

export type { RestRequest } from './rest-request.ts';

const defaultQps = 5;
const defaultBurst = 10;
const defaultMaxRetries = 10;

/** The headers of most requests, without and with a body. */
const readHeaders = Object.freeze({ accept: 'application/json' });
const writeHeaders = Object.freeze({ ...readHeaders, 'content-type': 'application/json' });

export interface RESTClientOptions {
  /** Default: no limit. Watches are never limited. */
  readonly rateLimiter?: RateLimiter;
  /** Default timeout of a call, including waiting and retries; not for streams and watches. */
  readonly timeoutMs?: number;
  /** Maximum number of retries. Default: 10. */
  readonly maxRetries?: number;
  /** Default: logs each distinct warning once. */
  readonly warnings?: WarningHandler;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** The server's name in metrics. */
  readonly host?: string;
  readonly clock?: Clock;
}

/**
 * Sends API requests over a transport: encodes and decodes JSON, turns failure Statuses into ApiErrors, and opens
 * watches. Retries after 429 and 5xx with `Retry-After`, and reads also when the connection broke. Enforces rate
 * limits, timeouts and signals.
 *
 * Every call rejects with an `ApiError` when the server rejects the request, with a `TransportError` when there is no
 * response (in time), with a `MalformedAnswerError` when the response cannot be decoded, and with the signal's reason
 * on abort.
 */
export class RESTClient {
  readonly #transport: Transport;
  readonly #rateLimiter: RateLimiter | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #maxRetries: number;
  readonly #warnings: WarningHandler;
  readonly #metrics: RestMetrics;
  readonly #host: string;
  readonly #clock: Clock;

  constructor(transport: Transport, options: RESTClientOptions = {}) {
    this.#transport = transport;
    this.#rateLimiter = options.rateLimiter;
    this.#timeoutMs = options.timeoutMs;
    this.#maxRetries = options.maxRetries ?? defaultMaxRetries;
    this.#warnings = options.warnings ?? logWarnings(options.logger ?? silentLogger);
    this.#metrics = restMetrics(options.metrics ?? noMetrics);
    this.#host = options.host ?? 'none';
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Creates a client for the config's server, with its credentials and rate limit. Default: 5 requests per second with
   * bursts of 10; `qps: 0` for no limit. Differs from client-go, where 0 means the default and negative values mean no
   * limit.
   */
  static forConfig(
    config: RestConfig,
    options: Omit<RESTClientOptions, 'host'> & { readonly transport?: Transport } = {},
  ): RESTClient {
    const { qps = defaultQps, burst = defaultBurst, clock = systemClock } = config;
    const { transport = newTransport(config), ...rest } = options;
    return new RESTClient(transport, {
      clock,
      host: config.server.replace(/^https?:\/\/|\/.*$/gi, ''),
      ...(config.timeoutMs !== undefined && { timeoutMs: config.timeoutMs }),
      ...(qps > 0 && { rateLimiter: new TokenBucketRateLimiter({ qps, burst, clock }) }),
      ...rest,
    });
  }

  /** Starts building a request: `rest.get().namespace('x').resource('pods').name('y').do<Pod>()`. */
  verb(method: string): RequestBuilder {
    return new RequestBuilder(this, method);
  }

  get(): RequestBuilder {
    return this.verb('GET');
  }

  post(): RequestBuilder {
    return this.verb('POST');
  }

  put(): RequestBuilder {
    return this.verb('PUT');
  }

  /** `contentType` is `application/merge-patch+json` or another patch type. */
  patch(contentType: string): RequestBuilder {
    return this.verb('PATCH').setHeader('content-type', contentType);
  }

  delete(): RequestBuilder {
    return this.verb('DELETE');
  }

  /** Sends a request and returns the response's object. */
  async request<T>(request: RestRequest): Promise<T> {
    const { method } = request;
    const read = method === 'GET' ? readFound : readWritten;
    const { head, text, bytes, size } = await this.#answered(request, 'whole', read);
    this.#metrics.responseSize.observe(size, method, this.#host);
    // The result of a GET is not lazy, because its caller uses it.
    return bytes ? decodeAnswer<T>(head, bytes, method !== 'GET') : decodeText<T>(head, text);
  }

  /** Sends a request and returns status, headers and bytes. 304, the response to `if-none-match`, is not an error. */
  async raw(request: RestRequest): Promise<RawResponse> {
    const answer = await this.#answered(request, 'whole', readBytes);
    this.#metrics.responseSize.observe(answer.bytes.length, request.method, this.#host);
    return answer;
  }

  /** Sends a request and discards the response's body as it is received. */
  async discard(request: RestRequest): Promise<void> {
    this.#metrics.responseSize.observe(await this.#answered(request, 'unread', sizeOf), request.method, this.#host);
  }

  /**
   * Sends a request and returns the response's body as a stream. Resolves when the server has accepted the request; the
   * timeout applies until then.
   */
  async stream(request: RestRequest): Promise<ResponseBody> {
    return await this.#open(request, 'stream');
  }

  /** Opens a watch. Resolves when the server has accepted it; the timeout applies until then. */
  async watch<T>(request: RestRequest): Promise<Watch<T>> {
    return new JsonWatch<T>(await this.#open(request, 'watch'), request.signal);
  }

  /** Opens a WebSocket with a GET request. Rejects with an ApiError when the server rejects it, like other requests. */
  async openWebSocket(request: WebSocketRestRequest): Promise<WebSocketConnection> {
    const { path, query, protocols, headers, signal } = request;
    try {
      return await this.#transport.openWebSocket({
        url: path + queryString(query),
        headers: { ...headers },
        protocols,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof UpgradeRefusedError)) throw error;
      const { response } = error;
      throw answeredError({ ...request, method: 'GET' }, response, await response.body.bytes());
    }
  }

  /** Closes every connection of the transport. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Sends a request and reads the response within the deadline. */
  async #answered<R>(
    request: RestRequest,
    kind: 'whole' | 'unread',
    read: (response: TransportResponse) => Promise<R>,
  ): Promise<R> {
    const start = this.#clock.monotonic();
    const deadline = new CallDeadline(this.#clock, request.timeoutMs ?? this.#timeoutMs, request.signal);
    try {
      return await read(await this.#send(request, kind, deadline));
    } finally {
      deadline.release();
      this.#metrics.duration.observe((this.#clock.monotonic() - start) / 1000, request.method, this.#host);
    }
  }

  async #open(request: RestRequest, kind: CallKind): Promise<ResponseBody> {
    const deadline = new CallDeadline(this.#clock, request.timeoutMs, request.signal);
    try {
      return deadline.releaseAfter((await this.#send(request, kind, deadline)).body);
    } catch (error) {
      deadline.release();
      throw error;
    }
  }

  async #send(request: RestRequest, kind: CallKind, deadline: CallDeadline): Promise<TransportResponse> {
    const { method } = request;
    const { signal } = deadline;
    const sent = this.#encoded(request, kind, signal);
    if (sent.body) this.#metrics.requestSize.observe(sent.body.length, method, this.#host);
    // Watches are not rate limited, because they are few and long-lived.
    const turn = kind === 'watch' ? undefined : this.#turn(method, signal);
    if (turn) await turn;
    const maxRetries = request.maxRetries ?? this.#maxRetries;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#transport.send(sent).catch((error: unknown) => ({ error }));
      this.#count(response, method, attempt);
      let delayMs: number | undefined;
      if ('error' in response) {
        signal?.throwIfAborted();
        delayMs = retryDelayAfterErrorMs(response.error, method, kind);
        if (delayMs === undefined || attempt >= maxRetries) throw response.error;
        deadline.lastFailure = response.error;
      } else {
        if (response.headers.warning !== undefined) parseWarnings(response.headers.warning).forEach(this.#warnings);
        if ((response.status >= 200 && response.status < 300) || response.status === 304) return response;
        delayMs = retryDelayMs(response);
        const error = answeredError(request, response, await this.#errorBytes(response, signal));
        if (delayMs === undefined || attempt >= maxRetries) throw error;
        deadline.lastFailure = error;
      }
      await sleep(this.#clock, delayMs, signal);
      await this.#turn(method, signal);
    }
  }

  /** The body of an error response; empty when it is cut off, because the HTTP status suffices. */
  async #errorBytes({ body }: TransportResponse, signal: AbortSignal | undefined): Promise<Uint8Array> {
    try {
      return await body.bytes();
    } catch {
      signal?.throwIfAborted();
      return new Uint8Array(0);
    }
  }

  #encoded(request: RestRequest, kind: CallKind, signal: AbortSignal | undefined): Parameters<Transport['send']>[0] {
    const { method, path, query, body, headers } = request;
    // Tells the server the timeout, so that it does not work for longer.
    const timeoutMs = kind === 'whole' || kind === 'unread' ? request.timeoutMs : undefined;
    const usual = body === undefined ? readHeaders : writeHeaders;
    // Always the same properties, so that all requests have one hidden class: objects made by spreading others take
    // longer than everything else here.
    return {
      method,
      url: path + queryString(query, timeoutMs),
      headers: headers ? withUsual(headers, usual) : usual,
      body: body === undefined ? undefined : encodeBody(body),
      signal,
      clientCertificate: undefined,
      bodyUnwanted: kind === 'unread',
    };
  }

  /** Applies the rate limit. Returns undefined when there is no need to wait, as for most requests. */
  #turn(method: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (!this.#rateLimiter) return undefined;
    if (!this.#rateLimiter.tryAccept()) return this.#throttle(this.#rateLimiter, method, signal);
    this.#metrics.rateLimiterDuration.observe(0, method, this.#host);
    return undefined;
  }

  async #throttle(rateLimiter: RateLimiter, method: string, signal: AbortSignal | undefined): Promise<void> {
    const start = this.#clock.monotonic();
    await rateLimiter.wait(signal);
    this.#metrics.rateLimiterDuration.observe((this.#clock.monotonic() - start) / 1000, method, this.#host);
  }

  #count(response: TransportResponse | { error: unknown }, method: string, attempt: number): void {
    const code = 'error' in response ? '<error>' : String(response.status);
    this.#metrics.requests.add(1, code, method, this.#host);
    if (attempt > 0) this.#metrics.retries.add(1, code, method, this.#host);
  }
}

/** Returns the headers themselves if they contain all usual ones: transports cache frozen headers by identity. */
function withUsual(headers: NonNullable<RestRequest['headers']>, usual: object): NonNullable<RestRequest['headers']> {
  for (const name in usual) if (!(name in headers)) return { ...usual, ...headers };
  return headers;
}

async function readBytes({ status, headers, body }: TransportResponse): Promise<RawResponse> {
  return { status, headers, bytes: await body.bytes() };
}

/** Up to this size it is faster to read a response as one buffer. */
const smallBytes = 64 * 1024;
const lengthOf = ({ headers }: TransportResponse): number => Number(headers['content-length']);

/** A response to decode: bytes, which may be decoded lazily, or text if it is large. */
interface ObjectAnswer {
  readonly head: TransportResponse;
  readonly bytes: Uint8Array | undefined;
  readonly text: string;
  readonly size: number;
}

/** Not every response has a content-length. A GET without one may return a long list, a write mostly one object. */
const readFound = (head: TransportResponse): Promise<ObjectAnswer> =>
  lengthOf(head) <= smallBytes ? inBytes(head) : asText(head);
const readWritten = (head: TransportResponse): Promise<ObjectAnswer> =>
  lengthOf(head) > smallBytes ? asText(head) : inBytes(head);

const asText = async (head: TransportResponse): Promise<ObjectAnswer> => ({
  head,
  bytes: undefined,
  ...(await readText(head.body)),
});

async function inBytes(head: TransportResponse): Promise<ObjectAnswer> {
  const bytes = await head.body.bytes();
  return { head, bytes, size: bytes.length, text: '' };
}

/**
 * Reads and discards a body, and returns its size. A transport may omit an unwanted body; then the size is the
 * content-length.
 */
async function sizeOf(response: TransportResponse): Promise<number> {
  const { body } = response;
  const said = lengthOf(response);
  let size = 0;
  if (said <= smallBytes) size = (await body.bytes()).length;
  else for await (const chunk of body.chunks({ borrowed: true })) size += chunk.length;
  return size || said || 0;
}
