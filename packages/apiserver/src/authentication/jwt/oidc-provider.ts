import { isJsonObject, parseJson, quote } from '@coxswain/apimachinery';
import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import { type HttpsAnswer, httpsGet, unreadable } from './https-get.ts';
import { RemoteKeySet, type RemoteKeySetOptions } from './remote-key-set.ts';

export interface OidcProviderOptions {
  readonly issuer: string;
  /** The URL of the discovery document, when it is not below the issuer URL. */
  readonly discoveryURL?: string;
  /** CA certificates as PEM. Default: the system's roots. */
  readonly ca?: string;
  readonly now: () => Date;
  /** Default: the system clock. */
  readonly clock?: Clock;
  readonly logger: Logger;
  readonly onFetch?: RemoteKeySetOptions['onFetch'];
}

const retryMs = 10_000;
const wellKnown = '/.well-known/openid-configuration';
const maxShown = 1024;

/**
 * An OpenID Connect provider: discovers the URL of the issuer's keys. Discovery runs in the background and is retried
 * until it succeeds; there are no keys before. Must be closed.
 */
export class OidcProvider {
  readonly #options: OidcProviderOptions;
  readonly #closed = new AbortController();
  readonly #waiting = new Set<() => void>();
  #keys: RemoteKeySet | undefined;
  #problem: string | undefined;
  #timer: Timer | undefined;

  constructor(options: OidcProviderOptions) {
    this.#options = options;
    this.#problem = `oidc: authenticator for issuer ${quote(options.issuer)} is not initialized`;
    void this.#discover();
  }

  /** Undefined until discovery has succeeded. */
  get keys(): RemoteKeySet | undefined {
    return this.#keys;
  }

  /** Why there are no keys yet; undefined when there are. */
  get problem(): string | undefined {
    return this.#keys ? undefined : this.#problem;
  }

  /** Resolves when discovery has succeeded, or the signal is aborted. */
  ready(signal: AbortSignal): Promise<void> {
    if (this.#keys || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  /** For requests to other URLs that the provider names, with the same CA. */
  readonly get = (url: string, headers?: Readonly<Record<string, string>>): Promise<HttpsAnswer> => {
    const { ca, now } = this.#options;
    return httpsGet(url, {
      now,
      signal: this.#closed.signal,
      ...(ca !== undefined && { ca }),
      ...(headers && { headers }),
    });
  };

  close(): void {
    this.#timer?.cancel();
    this.#closed.abort();
    for (const done of this.#waiting) done();
  }

  async #discover(): Promise<void> {
    const { logger, now, clock = systemClock, onFetch } = this.#options;
    try {
      const url = await this.#keySetUrl();
      this.#keys = new RemoteKeySet({ url, get: this.get, now, ...(onFetch && { onFetch }) });
      for (const done of this.#waiting) done();
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      this.#problem = messageOf(error);
      logger.error('oidc authenticator: initializing plugin', error);
      this.#timer = clock.setTimeout(() => void this.#discover(), retryMs, { background: true });
    }
  }

  async #keySetUrl(): Promise<string> {
    const { issuer, discoveryURL } = this.#options;
    const url = discoveryURL || (issuer.endsWith('/') ? issuer.slice(0, -1) : issuer) + wellKnown;
    const answer = await this.get(url);
    if (answer.code !== 200) throw new Error(`${answer.status}: ${answer.body.toString().slice(0, maxShown)}`);
    const said = parseObject(answer);
    if (said.issuer !== issuer)
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${quote(issuer)} got ${quote(String(said.issuer ?? ''))}`,
      );
    if (typeof said.jwks_uri !== 'string' || said.jwks_uri === '') throw new Error('provider did not return JWKS URL');
    return said.jwks_uri;
  }
}

function parseObject(answer: HttpsAnswer): Record<string, unknown> {
  try {
    const { value } = parseJson(answer.body);
    if (!isJsonObject(value)) throw new Error('json: cannot unmarshal a value that is not an object');
    return value;
  } catch (cause) {
    throw new Error(`oidc: failed to decode provider discovery object: ${unreadable(answer, cause)}`, { cause });
  }
}
