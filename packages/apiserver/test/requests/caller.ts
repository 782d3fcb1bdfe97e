import { request as httpsRequest } from 'node:https';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import type { InProcessTransport } from '../../src/http/in-process.ts';

export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request to a server. Aborting the signal ends the response. */
export type Caller = (sent: Sent, signal: AbortSignal) => Promise<Received>;

/** Returns a caller over HTTPS, which does not verify the server's certificate. For recording. */
export function httpsCaller(address: string): Caller {
  return ({ method, url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const call = httpsRequest(address, {
        method,
        // A string, because a URL object would normalize the path.
        path: url,
        headers: { ...headers, ...(body && { 'content-length': body.length }) },
        rejectUnauthorized: false,
        signal,
      });
      call.on('response', (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headersDistinct, body: response }),
      );
      call.on('error', reject);
      call.end(body);
    });
}

/** Returns a caller to a server in this process. */
export function inProcessCaller(transport: InProcessTransport): Caller {
  return async ({ method, url, headers, body }, signal) => {
    const response = await transport({ method, url, headers, signal, ...(body && { body }) });
    // Over a socket, the response to HEAD has no body.
    const { body: _, ...head } = response;
    const sent = method === 'HEAD' ? head : response;
    return { status: response.status, headers: response.headers, body: chunksOf(sent, signal) };
  };
}

async function* chunksOf({ body }: ApiResponse, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (!body) return;
  if (body instanceof Uint8Array) yield body;
  else if ('stream' in body) yield* streamed(body.stream, signal);
  else if ('upgrade' in body) throw new Error('an upgrade needs a socket');
  else yield* body;
}

/** Converts a streamed body to an async iterable of its chunks. */
async function* streamed(stream: (sink: ResponseSink) => void, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const onClose: (() => void)[] = [];
  let closed = false;
  let wake = (): void => undefined;
  const close = (): void => {
    if (closed) return;
    closed = true;
    for (const callback of onClose) callback();
    wake();
  };
  signal.addEventListener('abort', close, { once: true });
  stream({
    write(chunk) {
      chunks.push(chunk);
      wake();
      return true;
    },
    pendingBytes: 0,
    onDrain: (callback) => callback(),
    onClose: (callback) => onClose.push(callback),
    end: close,
    destroy: close,
  });
  for (;;) {
    const chunk = chunks.shift();
    if (chunk) yield chunk;
    else if (closed) return;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}
