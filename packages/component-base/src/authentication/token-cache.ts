import { hash, randomBytes } from 'node:crypto';
import { LruExpireCache } from '@coxswain/apimachinery/cache';
import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

export interface TokenCacheOptions {
  readonly now: () => Date;
  /** How long a verified token is cached. Default ten seconds, as upstream. */
  readonly ttlMs?: number;
  /** Whether unknown tokens are cached as well. Errors never are. Default false. */
  readonly remembersUnknown?: boolean;
  readonly maxEntries?: number;
}

/**
 * Caches the users of verified tokens for a short time, which is also how long a revoked token stays usable. Concurrent
 * requests for the same token share one lookup. Tokens are not kept in memory, only salted hashes of them.
 */
export class TokenCache implements TokenAuthenticator {
  readonly #delegate: TokenAuthenticator;
  readonly #ttlMs: number;
  readonly #remembersUnknown: boolean;
  readonly #salt = randomBytes(32).toString('base64');
  readonly #entries: LruExpireCache<string, { readonly found: Authenticated | undefined }>;
  /** Lookups in progress. Bounded by the number of requests in progress. */
  readonly #underWay = new Map<string, Promise<Authenticated | undefined>>();

  constructor(
    delegate: TokenAuthenticator,
    { now, ttlMs = 10_000, remembersUnknown = false, maxEntries = 8192 }: TokenCacheOptions,
  ) {
    this.#delegate = delegate;
    this.#ttlMs = ttlMs;
    this.#remembersUnknown = remembersUnknown;
    this.#entries = new LruExpireCache(maxEntries, now);
  }

  async authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const key = this.#key(token, audiences);
    const entry = this.#entries.get(key);
    if (entry) return entry.found;
    let lookup = this.#underWay.get(key);
    if (!lookup) {
      lookup = this.#lookUp(key, token, audiences).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, lookup);
    }
    return lookup;
  }

  async #lookUp(key: string, token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const found = await this.#delegate.authenticateToken(token, audiences);
    if (found || this.#remembersUnknown) this.#entries.set(key, { found }, this.#ttlMs);
    return found;
  }

  /** The length prefixes make the key unambiguous, whatever characters the parts contain. */
  #key(token: string, audiences: readonly string[]): string {
    let text = `${this.#salt}${token.length}:${token}`;
    for (const audience of audiences) text += `${audience.length}:${audience}`;
    return hash('sha256', text, 'base64');
  }
}
