import type { IncomingMessage } from 'node:http';
import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { ConnectionPool } from '../../webhook/connection-pool.ts';

export interface HttpsGetOptions {
  /** CA certificates as PEM. Default: the system's roots. */
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For all requests together, redirects included. */
  readonly timeoutMs?: number;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
}

export interface HttpsAnswer {
  readonly code: number;
  /** `404 Not Found` */
  readonly status: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const defaultTimeoutMs = 30_000;
const maxRedirects = 10;
/** Differs from upstream, which has no limit. Key sets and claims have some kilobytes. */
const maxBytes = 1024 * 1024;

/**
 * Sends a GET request, and follows redirects to other https URLs. Nothing is sent before the server's certificate is
 * verified. Throws an Error with Go's text on a timeout, a failure or a response over `maxBytes`.
 *
 * Differs from upstream: other schemes than https are rejected, also in URLs that a provider names. Proxies of the
 * environment are not used.
 */
export async function httpsGet(url: string, options: HttpsGetOptions): Promise<HttpsAnswer> {
  const { timeoutMs = defaultTimeoutMs, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  let target = url;
  let headers = options.headers ?? {};
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await exchange(target, { ...options, headers, signal: either });
      const { location } = answer.headers;
      if (!isRedirect(answer.code) || location === undefined) return answer;
      if (redirects === maxRedirects) throw new Error('stopped after 10 redirects');
      const next = new URL(location, target);
      // Credentials are not sent to another host.
      if (next.host !== new URL(target).host) headers = {};
      target = next.href;
    }
  } catch (cause) {
    const why = deadline.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : signal?.aborted
        ? 'context canceled'
        : messageOf(cause);
    throw new Error(`Get ${quote(target)}: ${why}`, { cause });
  }
}

/** The error text of upstream's library for a response that cannot be parsed as JSON. */
export function unreadable({ headers }: HttpsAnswer, cause: unknown): string {
  const why = messageOf(cause);
  const type = headers['content-type'] ?? '';
  return type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
    ? `got Content-Type = application/json, but could not unmarshal as JSON: ${why}`
    : `expected Content-Type = application/json, got ${quote(type)}: ${why}`;
}

const isRedirect = (code: number): boolean => [301, 302, 303, 307, 308].includes(code);

/** Sends one request on a new connection. */
async function exchange(
  url: string,
  { ca, headers, now, signal }: HttpsGetOptions & { readonly signal: AbortSignal },
): Promise<HttpsAnswer> {
  if (!URL.canParse(url)) throw new Error('invalid URL');
  const { protocol, hostname, host, port, pathname, search } = new URL(url);
  if (protocol !== 'https:') throw new Error(`unsupported protocol scheme ${quote(protocol.slice(0, -1))}`);
  const name = hostname.replace(/^\[|\]$/g, '');
  const address = { host: name, port: port === '' ? 443 : Number(port) };
  const pool = new ConnectionPool({
    address: async () => address,
    serverName: name,
    maxAnswerBytes: maxBytes,
    now,
    ...(ca !== undefined && { ca }),
  });
  try {
    const { status, statusText, ...answer } = await pool.send({
      method: 'GET',
      path: pathname + search,
      headers: { ...headers, host, 'user-agent': 'Go-http-client/1.1', connection: 'close' },
      signal,
    });
    return { code: status, status: `${status} ${statusText}`, ...answer };
  } finally {
    pool.close();
  }
}
