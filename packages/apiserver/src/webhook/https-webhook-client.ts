import { stringifyJson } from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Answer, BrokenAnswer, ConnectionPool, type Exchange } from './connection-pool.ts';
import { cleanPath, type HttpsTarget, httpsTarget } from './https-target.ts';
import { readAnswer, retryAfterSeconds } from './read-answer.ts';
import type { ServiceResolver } from './service-resolver.ts';
import type { WebhookCallOptions, WebhookClient, WebhookClientConfig } from './webhook-client.ts';
import type { WebhookCredentials } from './webhook-credentials.ts';
import { WebhookCallError } from './webhook-error.ts';

export interface HttpsWebhookClientOptions {
  readonly resolveService: ServiceResolver;
  /** Resolves when the data of the resolver is complete. */
  readonly synced?: Promise<unknown>;
  readonly userAgent: string;
  readonly now: () => Date;
}

/** The maximum number of connection pools; upstream's. */
const maxPools = 200;
const maxRetries = 10;

type Identity = NonNullable<WebhookCredentials['clientCertificate']>;

/** Calls webhooks over HTTPS, with HTTP/1.1 and keep-alive connections. Must be closed with its server. */
export class HttpsWebhookClient implements WebhookClient {
  readonly #options: HttpsWebhookClientOptions;
  readonly #pools = new LruCache<string, ConnectionPool>(maxPools);
  #closed = false;

  constructor(options: HttpsWebhookClientOptions) {
    this.#options = options;
  }

  async call(clientConfig: WebhookClientConfig, body: unknown, options: WebhookCallOptions): Promise<unknown> {
    if (this.#closed) throw new WebhookCallError('the server is shutting down', 'canceled');
    const target = this.#target(clientConfig);
    const credentials = options.credentials?.(target.server) ?? {};
    const pool = this.#pool(target, clientConfig.caBundle ?? '', credentials.clientCertificate);
    const headers = { ...headersOf(credentials), 'user-agent': this.#options.userAgent };
    return post(pool, body, { ...options, target, headers });
  }

  /** Closes all connections. Further calls throw. */
  close(): void {
    this.#closed = true;
    for (const [, pool] of this.#pools.entries()) pool.close();
    this.#pools.clear();
  }

  #target({ url, service }: WebhookClientConfig): HttpsTarget {
    if (!service) {
      if (!url) throw new WebhookCallError('webhook configuration must have either service or URL', 'configuration');
      const target = httpsTarget(url);
      if (!target) throw new WebhookCallError(`Unparsable URL: ${url}`, 'configuration');
      return target;
    }
    const { namespace, name, path = '', port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    const host = `${serverName}:${port}`;
    return {
      origin: `https://${host}`,
      path: cleanPath(path),
      host,
      serverName,
      address: async () => {
        await this.#options.synced;
        return this.#options.resolveService(namespace, name, port);
      },
      server: host,
    };
  }

  #pool(
    { origin, serverName, address }: HttpsTarget,
    caBundle: string,
    identity: Identity | undefined,
  ): ConnectionPool {
    const key = JSON.stringify([origin, caBundle, identity?.cert]);
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = new ConnectionPool({
      serverName,
      address,
      now: this.#options.now,
      ...(caBundle && { ca: Buffer.from(caBundle, 'base64').toString() }),
      ...(identity && { clientCertificate: identity }),
    });
    this.#pools.set(key, pool)?.retire();
    return pool;
  }
}

/** Returns the Authorization header for the credentials. */
export const headersOf = ({ token, basic }: WebhookCredentials): Record<string, string> => {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (basic) return { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` };
  return {};
};

interface PostOptions extends WebhookCallOptions {
  readonly target: HttpsTarget;
  readonly headers: Readonly<Record<string, string>>;
}

/** Posts a JSON body and returns the JSON of the response. Retries after Retry-After. Throws a WebhookCallError. */
export async function post(pool: ConnectionPool, body: unknown, options: PostOptions): Promise<unknown> {
  const { timeoutMs, signal, target, headers } = options;
  const { origin, path, host } = target;
  const bytes = Buffer.from(stringifyJson(body));
  const fullPath = `${path}?timeout=${Math.max(1, Math.ceil(timeoutMs / 1000))}s`;
  const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  const exchange: Exchange = {
    method: 'POST',
    path: fullPath,
    body: bytes,
    headers: {
      ...headers,
      host,
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    },
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  };
  try {
    return readAnswer(await patiently(() => pool.send(exchange), exchange.signal));
  } catch (error) {
    if (error instanceof WebhookCallError && error.failure !== 'network') throw error;
    const [problem, failure] = signal?.aborted
      ? (['context canceled', 'canceled'] as const)
      : deadline.aborted
        ? (['context deadline exceeded', 'deadline'] as const)
        : ([messageOf(error), 'network'] as const);
    const text =
      error instanceof BrokenAnswer
        ? `unexpected error when reading response body. Please retry. Original error: ${problem}`
        : `Post "${origin}${fullPath}": ${problem}`;
    throw new WebhookCallError(text, failure, { cause: error });
  }
}

/** Repeats a request after responses 429 and 5xx with Retry-After. */
async function patiently(attempt: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let retries = 0; ; retries++) {
    const answer = await attempt();
    const busy = answer.status === 429 || answer.status >= 500;
    const seconds = retryAfterSeconds(answer.headers);
    if (!busy || seconds === undefined || retries === maxRetries) return answer;
    await pause(seconds * 1000, signal);
  }
}

const longestTimerMs = 2 ** 31 - 1;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, Math.min(ms, longestTimerMs));
    timer.unref();
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
    signal.addEventListener('abort', done);
  });
}
