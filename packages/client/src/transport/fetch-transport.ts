import { onAbort } from '@coxswain/apimachinery/abort';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { RestConfig } from '../config/rest-config.ts';
import { openBrowserWebSocket } from './browser-web-socket.ts';
import { joinChunks } from './response-body.ts';
import {
  type ResponseBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type WebSocketConnection,
  type WebSocketRequest,
} from './transport.ts';

export interface FetchTransportOptions {
  readonly fetch?: typeof globalThis.fetch;
  readonly WebSocket?: typeof globalThis.WebSocket;
}

/**
 * A transport with `fetch` and the browser's WebSocket. The browser controls TLS, certificates, proxies and
 * compression. The page must have the server's origin or be allowed by CORS.
 */
export class FetchTransport implements Transport {
  readonly #server: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #WebSocket: typeof globalThis.WebSocket;
  /** Requests, bodies and WebSockets in progress. */
  readonly #underWay = new Set<AbortController>();
  #closed: TransportError | undefined;

  /** Throws when the config has TLS or proxy settings that browsers do not support. */
  constructor({ server, tls, proxyUrl }: RestConfig, options: FetchTransportOptions = {}) {
    if (tls?.insecureSkipTlsVerify || tls?.serverName !== undefined || proxyUrl !== undefined) {
      throw new Error('TLS and proxy settings are not supported in browsers');
    }
    this.#server = server.replace(/\/$/, '');
    // Called without `this`, as browsers require.
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
    this.#WebSocket = options.WebSocket ?? globalThis.WebSocket;
  }

  async send({ method, url, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    this.#mustBeOpen();
    signal?.throwIfAborted();
    const abort = new AbortController();
    const stop = onAbort(signal, () => abort.abort());
    this.#underWay.add(abort);
    const unlink = (): void => {
      stop();
      this.#underWay.delete(abort);
    };
    let response: Response;
    try {
      response = await this.#fetch(this.#server + url, {
        method,
        headers: headerPairs(headers),
        signal: abort.signal,
        redirect: 'manual',
        ...(body && { body: new Uint8Array(body) }),
      });
    } catch (error) {
      unlink();
      throw this.#failure(error, signal);
    }
    const fail = (error: unknown): unknown => this.#failure(error, signal);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: new FetchBody(response, abort, unlink, fail),
    };
  }

  async openWebSocket(request: WebSocketRequest): Promise<WebSocketConnection> {
    this.#mustBeOpen();
    request.signal?.throwIfAborted();
    const url = this.#server.replace(/^http/, 'ws') + request.url;
    const abort = new AbortController();
    const stop = onAbort(request.signal, () => abort.abort(request.signal?.reason));
    this.#underWay.add(abort);
    return await openBrowserWebSocket(this.#WebSocket, url, { ...request, signal: abort.signal }, () => {
      stop();
      this.#underWay.delete(abort);
    });
  }

  async close(): Promise<void> {
    this.#closed ??= new TransportError('the transport was closed', { mayHaveBeenSent: false });
    for (const abort of this.#underWay) abort.abort(new TransportError('the transport was closed'));
  }

  /** The signal's reason after an abort, otherwise a TransportError. */
  #failure(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (this.#closed) return new TransportError(this.#closed.message);
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
    const message = messageOf(error);
    return new TransportError(message, { cause: error, ...(code !== undefined && { code }) });
  }

  #mustBeOpen(): void {
    if (this.#closed) throw this.#closed;
  }
}

class FetchBody implements ResponseBody {
  readonly #response: Response;
  readonly #abort: AbortController;
  readonly #unlink: () => void;
  readonly #fail: (error: unknown) => unknown;

  constructor(response: Response, abort: AbortController, unlink: () => void, fail: (error: unknown) => unknown) {
    this.#response = response;
    this.#abort = abort;
    this.#unlink = unlink;
    this.#fail = fail;
  }

  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return joinChunks(chunks);
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    const reader = this.#response.body?.getReader();
    try {
      for (;;) {
        const result = await reader?.read();
        if (!result || result.done) return;
        yield result.value;
      }
    } catch (error) {
      throw this.#fail(error);
    } finally {
      this.cancel();
    }
  }

  cancel(): void {
    this.#unlink();
    this.#abort.abort();
  }
}

const headerPairs = (headers: TransportRequest['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one): [string, string] => [name, one]),
  );
