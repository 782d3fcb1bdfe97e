import type { IncomingMessage } from 'node:http';
import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { ConnectionPool } from '../../webhook/connection-pool.ts';

export interface HttpsGetOptions {
  /** PEM; the system's roots without it. */
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the whole exchange. */
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
/** Differs from upstream, which reads whatever comes. Key sets and claims have some kilobytes. */
const maxBytes = 1024 * 1024;

/**
 * What is at a URL. Follows redirects to other https URLs; what is no answer of bounded size in time is an Error in Go's
 * words. A server must prove who it is before anything is sent to it.
 *
 * Differs from upstream: other schemes than https are refused, also in URLs that a provider names; proxies of the
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
      // Credentials are for whom they were meant.
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

/** What an answer that should be JSON, and cannot be read, is, in the words of upstream's library. */
export function unreadable({ headers }: HttpsAnswer, cause: unknown): string {
  const why = messageOf(cause);
  const type = headers['content-type'] ?? '';
  return type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
    ? `got Content-Type = application/json, but could not unmarshal as JSON: ${why}`
    : `expected Content-Type = application/json, got ${quote(type)}: ${why}`;
}

const isRedirect = (code: number): boolean => [301, 302, 303, 307, 308].includes(code);

/** On a connection of its own. */
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
