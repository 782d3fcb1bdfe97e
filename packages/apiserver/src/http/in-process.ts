import { setMaxListeners } from 'node:events';
import type { ApiHandler, ApiRequest, ApiResponse, Connection } from '@coxswain/component-base/http';
import { bodyTooLarge } from '@coxswain/component-base/http';

/** A request by a function call: what a socket would have brought. */
export interface InProcessRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** Calls a server in the same process. */
export type InProcessTransport = (request: InProcessRequest) => Promise<ApiResponse>;

/**
 * The way to a server without a socket and without TLS. Everything else is the same: authentication, authorization,
 * admission, bytes. With a `user` the caller is who it says it is, without credentials; for parts of one program only.
 */
export function inProcessTransport(handler: ApiHandler, user?: NonNullable<Connection['user']>): InProcessTransport {
  const connection: Connection = {
    remoteAddress: '127.0.0.1',
    protocol: 'in-process',
    clientCertificates: [],
    ...(user && { user }),
  };
  return (request) => handler(toApiRequest(request, connection));
}

const never = new AbortController().signal;
// Everybody waits with this one for what never comes.
setMaxListeners(0, never);

function toApiRequest(request: InProcessRequest, connection: Connection): ApiRequest {
  const { method, url, headers = {}, body = new Uint8Array(0), signal = never } = request;
  const mark = url.indexOf('?');
  return {
    method,
    path: mark === -1 ? url : url.slice(0, mark),
    search: mark === -1 ? '' : url.slice(mark + 1),
    headers,
    connection,
    signal,
    async readBody(maxBytes) {
      if (body.length > maxBytes) throw bodyTooLarge(maxBytes);
      return body;
    },
    async *streamBody() {
      yield body;
    },
  };
}
