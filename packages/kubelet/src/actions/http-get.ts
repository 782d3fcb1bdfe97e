import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { DeadlineExceeded, type DeadlineOptions, withDeadline } from './deadline.ts';
import { dial } from './dial.ts';
import { exchange, type HttpResponse } from './http-exchange.ts';
import type { HttpGetRequest } from './http-get-request.ts';
import { type HttpTarget, redirectTarget } from './http-target.ts';
import { startTls } from './start-tls.ts';

/** How much of a body is read. */
const maxBodyBytes = 10 * 1024;
const maxRedirects = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface HttpAnswer {
  readonly statusCode: number;
  /** The beginning of the body, at most 10 KB. */
  readonly body: string;
}

/** There was no response. The message is that of Go's `url.Error`: `Get "http://10.0.0.1:80/": EOF`. */
export class HttpGetError extends Error {
  constructor(url: string, cause: unknown) {
    super(`Get ${quote(url)}: ${messageOf(cause)}`, { cause });
    this.name = 'HttpGetError';
  }
}

/**
 * Sends a GET request to a container and returns the response. Redirects are followed as long as they stay on the same host; the first one
 * that leaves it is the response. Nothing of HTTPS servers is verified, no proxy is used, and each request has its own connection.
 *
 * Rejects with an HttpGetError if there is no response, with another error if its body breaks off, and with the reason of the signal when it
 * is aborted. The timeout is for all of it.
 */
export async function httpGet(request: HttpGetRequest, options: DeadlineOptions): Promise<HttpAnswer> {
  return await withDeadline(options, (signal) => follow(request, signal, options.signal));
}

async function follow(first: HttpGetRequest, signal: AbortSignal, caller: AbortSignal): Promise<HttpAnswer> {
  let request = first;
  for (let sent = 1; ; sent++) {
    const { target } = request;
    const next = await send(request, { signal, caller }, (response) => redirectOf(response, { target, first, sent }));
    if ('statusCode' in next) return next;
    request = next;
  }
}

/** Sends one request. Returns the next one, or the response if there is none. */
async function send(
  request: HttpGetRequest,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: AbortSignal },
  nextOf: (response: HttpResponse) => HttpGetRequest | undefined,
): Promise<HttpGetRequest | HttpAnswer> {
  const { target } = request;
  let end = (): void => {};
  try {
    const response = await head(request, signal, (socket) => {
      end = () => socket.destroy();
    }).catch((error: unknown) => {
      if (caller.aborted) throw caller.reason;
      throw new HttpGetError(target.text, late(error, 'exceeded while awaiting headers'));
    });
    const next = nextOf(response);
    if (next) return next;
    const body = await response.readBody(maxBodyBytes, signal).catch((error: unknown) => {
      throw late(error, 'or context cancellation while reading body');
    });
    return { statusCode: response.statusCode, body: body.toString() };
  } finally {
    end();
  }
}

async function head(
  request: HttpGetRequest,
  signal: AbortSignal,
  onSocket: (socket: { destroy(): unknown }) => void,
): Promise<HttpResponse> {
  const { scheme, hostname, port } = request.target;
  if (scheme !== 'http' && scheme !== 'https') throw new Error(`unsupported protocol scheme ${quote(scheme)}`);
  const socket = await dial(hostname, port, signal);
  onSocket(socket);
  if (scheme === 'http') return await exchange(socket, request, signal);
  const secure = await startTls(socket, hostname, signal);
  onSocket(secure);
  return await exchange(secure, request, signal);
}

interface Redirected {
  /** Where the response is from. */
  readonly target: HttpTarget;
  readonly first: HttpGetRequest;
  /** How many requests were sent. */
  readonly sent: number;
}

/** Undefined if the response is to be taken as it is. */
function redirectOf({ statusCode, location }: HttpResponse, from: Redirected): HttpGetRequest | undefined {
  const { target, first, sent } = from;
  if (!redirects.has(statusCode) || location === '') return undefined;
  const next = redirectTarget(location, target);
  if (!next) {
    const reason = `failed to parse Location header ${quote(location)}: parse ${quote(location)}: invalid URL`;
    throw new HttpGetError(target.text, new Error(reason));
  }
  if (next.hostname.toLowerCase() !== first.target.hostname.toLowerCase()) return undefined;
  if (sent >= maxRedirects) throw new HttpGetError(location, new Error(`stopped after ${maxRedirects} redirects`));
  const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(location);
  // Secure URLs are not told to servers without TLS.
  const hasReferer =
    first.headers.some(([name]) => name === 'Referer') || (target.scheme === 'https' && next.scheme === 'http');
  return {
    target: next,
    // The name of a virtual host is kept as long as the redirect names none.
    host: isRelative ? first.host : '',
    headers: hasReferer ? first.headers : [...first.headers, ['Referer', target.text]],
  };
}

const late = (error: unknown, where: string): unknown =>
  error instanceof DeadlineExceeded ? new Error(`${error.message} (Client.Timeout ${where})`, { cause: error }) : error;
