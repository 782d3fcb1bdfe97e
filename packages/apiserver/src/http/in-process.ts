import { setMaxListeners } from 'node:events';
import type { ApiHandler, ApiRequest, ApiResponse, Connection } from '@coxswain/component-base/http';
import { bodyTooLarge } from '@coxswain/component-base/http';

/** A request made by a function call instead of over a socket. */
export interface InProcessRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** Calls a server in the same process. */
export type InProcessTransport = (request: InProcessRequest) => Promise<ApiResponse>;

/**
 * Returns a transport that calls the handler without a socket and TLS. Everything else is as over HTTP: authentication,
 * authorization, admission, encoding. With `user`, requests are authenticated as that user without credentials, which is
 * for trusted components of the same process only.
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
// All requests without a signal share this one, so any number of listeners is fine.
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
