import { hash, randomBytes } from 'node:crypto';
import { LruExpireCache } from '@coxswain/apimachinery/cache';
import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

export interface TokenCacheOptions {
  readonly now: () => Date;
  /** How long a verified token is taken for good. Default ten seconds, as upstream. */
  readonly ttlMs?: number;
  /** That nobody knows a token is remembered as well. Errors never are. Default false. */
  readonly remembersUnknown?: boolean;
  readonly maxEntries?: number;
}

/**
 * Remembers who the bearers of verified tokens are, for a short time: that is how long one that was revoked may still
 * be used. Who asks for a token that is being looked up waits for the same answer. Tokens themselves are not kept, only
 * salted hashes of them.
 */
export class TokenCache implements TokenAuthenticator {
  readonly #delegate: TokenAuthenticator;
  readonly #ttlMs: number;
  readonly #remembersUnknown: boolean;
  readonly #salt = randomBytes(32).toString('base64');
  readonly #entries: LruExpireCache<string, { readonly found: Authenticated | undefined }>;
  /** No more of them than there are requests. */
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

  /** Lengths keep the parts apart, whatever is in them. */
  #key(token: string, audiences: readonly string[]): string {
    let text = `${this.#salt}${token.length}:${token}`;
    for (const audience of audiences) text += `${audience.length}:${audience}`;
    return hash('sha256', text, 'base64');
  }
}
