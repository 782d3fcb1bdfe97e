import { messageOf } from '@coxswain/apimachinery/errors';
import type { UnverifiedJwt } from '@coxswain/apimachinery/jwt';
import { type HttpsAnswer, unreadable } from './https-get.ts';
import { isSignedBy, type JsonWebKey, parseJsonWebKeySet } from './json-web-key.ts';

export interface RemoteKeySetOptions {
  readonly url: string;
  readonly get: (url: string) => Promise<HttpsAnswer>;
  readonly now: () => Date;
  /** Called after every fetch, with the text of the key set, or undefined on failure. */
  readonly onFetch?: (text: string | undefined) => void;
}

/** Keys may be fetched again this long before they expire. */
const expiryDeltaMs = 30_000;
/**
 * The minimum time between fetches. Differs from upstream, which fetches the keys again for every token that no known
 * key has signed: here, such tokens cannot flood the provider.
 */
const minIntervalMs = 1_000;
/** The part of an unusable response that error messages show. */
const maxShown = 1024;

/**
 * The published keys of a provider. Known keys are tried first, even expired ones, so that tokens stay valid while the
 * provider cannot be reached. When no known key fits, they are fetched again, with one request for concurrent calls.
 */
export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions;
  #keys: readonly JsonWebKey[] = [];
  #expiresAt = 0;
  #fetching: Promise<readonly JsonWebKey[]> | undefined;
  #lastFetch: { readonly at: number; readonly error?: unknown } | undefined;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
  }

  /** Rejects with upstream's message when none of the keys signed the token. */
  async verify(jwt: UnverifiedJwt): Promise<void> {
    if (hasSigned(this.#keys, jwt)) return;
    const now = this.#options.now().getTime();
    if (now + expiryDeltaMs > this.#expiresAt && hasSigned(await this.#fresh(now), jwt)) return;
    throw new Error('failed to verify id token signature');
  }

  async #fresh(now: number): Promise<readonly JsonWebKey[]> {
    const last = this.#lastFetch;
    if (!this.#fetching && last && Math.abs(now - last.at) < minIntervalMs) {
      if (last.error !== undefined) throw fetchError(last.error);
      return this.#keys;
    }
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    try {
      return await this.#fetching;
    } catch (error) {
      throw fetchError(error);
    }
  }

  async #fetch(): Promise<readonly JsonWebKey[]> {
    const { url, get, now, onFetch } = this.#options;
    let text: string | undefined;
    try {
      const answer = await get(url).catch((cause: Error) => {
        throw new Error(`oidc: get keys failed ${cause.message}`, { cause });
      });
      text = answer.body.toString();
      this.#keys = readKeys(answer, text);
      this.#expiresAt = now().getTime() + cacheSeconds(answer.headers, now()) * 1000;
      this.#lastFetch = { at: now().getTime() };
      onFetch?.(text);
      return this.#keys;
    } catch (error) {
      this.#lastFetch = { at: now().getTime(), error };
      onFetch?.(undefined);
      throw error;
    }
  }
}

const fetchError = (error: unknown): Error => new Error(`fetching keys ${messageOf(error)}`, { cause: error });

function hasSigned(keys: readonly JsonWebKey[], jwt: UnverifiedJwt): boolean {
  const { kid } = jwt.header;
  return keys.some((key) => (kid === undefined || kid === '' || kid === key.keyId) && isSignedBy(jwt, key));
}

function readKeys(answer: HttpsAnswer, text: string): JsonWebKey[] {
  const { code, status } = answer;
  const shown = text.slice(0, maxShown);
  if (code !== 200) throw new Error(`oidc: get keys failed: ${status} ${shown}`);
  try {
    return parseJsonWebKeySet(text);
  } catch (cause) {
    throw new Error(`oidc: failed to decode keys: ${unreadable(answer, cause)} ${shown}`, { cause });
  }
}

/** How long a shared cache may keep the response. */
function cacheSeconds(headers: HttpsAnswer['headers'], now: Date): number {
  const directives = new Map(
    (headers['cache-control'] ?? '').split(',').map((directive) => {
      const [name = '', value = ''] = directive.trim().toLowerCase().split('=', 2);
      return [name, value.replaceAll('"', '')] as const;
    }),
  );
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return 0;
  const age = directives.get('s-maxage') ?? directives.get('max-age');
  if (age !== undefined) return /^\d{1,9}$/.test(age) ? Number(age) : 0;
  const expires = Date.parse(headers.expires ?? '');
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(expires) ? 0 : Math.max(0, (expires - (Number.isNaN(date) ? now.getTime() : date)) / 1000);
}
