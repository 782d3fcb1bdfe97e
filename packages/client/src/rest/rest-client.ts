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

/** The headers of most requests, without a body and with one. */
const readHeaders = Object.freeze({ accept: 'application/json' });
const writeHeaders = Object.freeze({ ...readHeaders, 'content-type': 'application/json' });

export interface RESTClientOptions {
  /** Default: requests go as they come. Watches always do. */
  readonly rateLimiter?: RateLimiter;
  /** A call's whole time with waiting and retries, unless it says otherwise; streams and watches excepted. */
  readonly timeoutMs?: number;
  /** How often to try again. Default: 10. */
  readonly maxRetries?: number;
  /** Default: each distinct warning once to the logger. */
  readonly warnings?: WarningHandler;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** The server, as metrics call it. */
  readonly host?: string;
  readonly clock?: Clock;
}

/**
 * Requests and answers in the API's forms over a transport: JSON in and out, Status as ApiError, watches. Asks again where
 * the server says when (429 and 5xx with `Retry-After`), and reads also when the connection broke; keeps to a rate, to
 * deadlines and to signals.
 *
 * Every call rejects with an `ApiError` when the server refuses, with a `TransportError` when there is no answer (in time),
 * with a `MalformedAnswerError` when the answer makes no sense, and with the signal's reason when that is aborted.
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
   * A client for the server that the config names, with its credentials. Rate: the config's, or 5 in a second and 10 at
   * once; `qps: 0` for none. Differs from client-go, where 0 is the default and only less than 0 is none.
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

  /** Begins a request: `rest.get().namespace('x').resource('pods').name('y').do<Pod>()`. */
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

  /** `application/merge-patch+json` or another type that says how the patch is to be read. */
  patch(contentType: string): RequestBuilder {
    return this.verb('PATCH').setHeader('content-type', contentType);
  }

  delete(): RequestBuilder {
    return this.verb('DELETE');
  }

  /** The answer's object. */
  async request<T>(request: RestRequest): Promise<T> {
    const { method } = request;
    const read = method === 'GET' ? readFound : readWritten;
    const { head, text, bytes, size } = await this.#answered(request, 'whole', read);
    this.#metrics.responseSize.observe(size, method, this.#host);
    // Who gets something looks at it.
    return bytes ? decodeAnswer<T>(head, bytes, method !== 'GET') : decodeText<T>(head, text);
  }

  /** The answer's head and bytes. 304, which answers `if-none-match`, is an answer too. */
  async raw(request: RestRequest): Promise<RawResponse> {
    const answer = await this.#answered(request, 'whole', readBytes);
    this.#metrics.responseSize.observe(answer.bytes.length, request.method, this.#host);
    return answer;
  }

  /** Resolves when the server has done it; what it answers is let go of as it comes. */
  async discard(request: RestRequest): Promise<void> {
    this.#metrics.responseSize.observe(await this.#answered(request, 'unread', sizeOf), request.method, this.#host);
  }

  /** The answer's body as it comes; resolves once the server has accepted. A time limit counts until then. */
  async stream(request: RestRequest): Promise<ResponseBody> {
    return await this.#open(request, 'stream');
  }

  /** A watch; resolves once the server has accepted it. A time limit counts until then. */
  async watch<T>(request: RestRequest): Promise<Watch<T>> {
    return new JsonWatch<T>(await this.#open(request, 'watch'), request.signal);
  }

  /** Opens a WebSocket, with a GET; a server that refuses is an ApiError as with any other request. */
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

  /** Ends every connection of the transport. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** What is read of a whole answer, while its deadline counts. */
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
    // Watches are few and long.
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

  /** What there is of them: the status says enough when the rest is cut off. */
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
    // The server need not work for longer than we wait.
    const timeoutMs = kind === 'whole' || kind === 'unread' ? request.timeoutMs : undefined;
    const usual = body === undefined ? readHeaders : writeHeaders;
    // Always of one shape, like every request on its way down: objects put together from others take longer than all of this.
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

  /** Keeps to the rate. Undefined when there is nothing to wait for: most requests go at once. */
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

/** As they are, if they say all: transports know headers again that never change. */
function withUsual(headers: NonNullable<RestRequest['headers']>, usual: object): NonNullable<RestRequest['headers']> {
  for (const name in usual) if (!(name in headers)) return { ...usual, ...headers };
  return headers;
}

async function readBytes({ status, headers, body }: TransportResponse): Promise<RawResponse> {
  return { status, headers, bytes: await body.bytes() };
}

/** Below it is quicker to take an answer in one piece. */
const smallBytes = 64 * 1024;
const lengthOf = ({ headers }: TransportResponse): number => Number(headers['content-length']);

/** What an object is read from: bytes, of which parts may be read later, or a text where they are many. */
interface ObjectAnswer {
  readonly head: TransportResponse;
  readonly bytes: Uint8Array | undefined;
  readonly text: string;
  readonly size: number;
}

/** Not every server says how long an answer is. What it found may be a long list; what was written is mostly one object. */
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

/** Reads an answer that nobody wants to see; the transport may have left it out, so that its size is what the server says. */
async function sizeOf(response: TransportResponse): Promise<number> {
  const { body } = response;
  const said = lengthOf(response);
  let size = 0;
  if (said <= smallBytes) size = (await body.bytes()).length;
  else for await (const chunk of body.chunks({ borrowed: true })) size += chunk.length;
  return size || said || 0;
}
