import { ApiError, fromObject, newGenericServerResponse } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import {
  type ResponseBody,
  type Transport,
  type TransportResponse,
  UpgradeRefusedError,
  type WebSocketConnection,
} from '../transport/transport.ts';
import { JsonWatch } from '../watch/json-watch.ts';
import type { Watch } from '../watch/watch.ts';
import type { CallOptions } from './call-options.ts';

/** One request, before it is sent. */
export interface RestRequest extends CallOptions {
  readonly method: string;
  /** Percent-encoded, without query. */
  readonly path: string;
  /** Strings, numbers, booleans; lists are repeated, what is undefined is left out. */
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; bytes as they are. */
  readonly body?: unknown;
  /** For messages: what is asked for. */
  readonly resource?: GroupResource;
  readonly name?: string;
}

/** An answer before anybody read it. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: TransportResponse['headers'];
  readonly bytes: Uint8Array;
}

/** A request that becomes a WebSocket. */
export interface WebSocketRestRequest extends Omit<RestRequest, 'method' | 'body'> {
  /** Subprotocols offered, the best first. */
  readonly protocols: readonly string[];
}

/** Requests and answers in the API's forms over a transport: JSON in and out, Status as ApiError, watches. */
export class RESTClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer's object. */
  async request<T>(request: RestRequest): Promise<T> {
    const response = await this.#send(request);
    return JSON.parse(new TextDecoder().decode(await response.body.bytes())) as T;
  }

  /** A watch; resolves once the server has accepted it. */
  async watch<T>(request: RestRequest): Promise<Watch<T>> {
    const response = await this.#send(request);
    return new JsonWatch<T>(response.body, request.signal);
  }

  /** The answer's body as it comes; resolves once the server has accepted. */
  async stream(request: RestRequest): Promise<ResponseBody> {
    const response = await this.#send(request);
    return response.body;
  }

  /** The answer's head and bytes. 304, which answers `if-none-match`, is an answer too. */
  async raw(request: RestRequest): Promise<RawResponse> {
    const { status, headers, body } = await this.#send(request);
    return { status, headers, bytes: await body.bytes() };
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
      const { status, body } = error.response;
      throw failed({ ...request, method: 'GET' }, status, new TextDecoder().decode(await body.bytes()));
    }
  }

  async #send(request: RestRequest): Promise<TransportResponse> {
    const { method, path, query, body, signal } = request;
    const response = await this.#transport.send({
      method,
      url: path + queryString(query),
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
      ...(signal && { signal }),
    });
    if ((response.status >= 200 && response.status < 300) || response.status === 304) return response;
    throw failed(request, response.status, new TextDecoder().decode(await response.body.bytes()));
  }
}

function failed(request: RestRequest, code: number, text: string): ApiError {
  try {
    const error = fromObject(JSON.parse(text));
    if (error instanceof ApiError) return error;
  } catch {
    // No JSON: not in the API's form.
  }
  return newGenericServerResponse({
    code,
    verb: request.method,
    resource: request.resource ?? GroupResource.of('', ''),
    ...(request.name && { name: request.name }),
    serverMessage: text.slice(0, 2048).trim(),
    isUnexpectedResponse: true,
  });
}

function queryString(query: RestRequest['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text && `?${text}`;
}
