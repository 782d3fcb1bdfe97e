import type { ClientSet } from '@coxswain/client';
import {
  type Authenticated,
  type Authenticator,
  type TokenAuthenticator,
  tokenReviewAuthenticator,
  UnionAuthenticator,
} from '../authentication/index.ts';
import type { ApiRequest } from '../http/index.ts';
import type { ClusterAuthentication } from './cluster-authentication.ts';

/** Time limit for a TokenReview. */
const reviewTimeoutMs = 10_000;

export interface DelegatedAuthenticatorOptions {
  /** The API server that reviews tokens; absent: tokens are ignored. */
  readonly clients?: ClientSet;
  readonly cacheTtlMs: number;
  readonly authorities: ClusterAuthentication;
  readonly now: () => Date;
}

/**
 * Authenticates clients as the cluster's API server does: by front proxy, client certificate, or token, for which it sends a TokenReview.
 * Requests without credentials are anonymous.
 */
export class DelegatedAuthenticator implements Authenticator {
  readonly #tokens: readonly TokenAuthenticator[];
  readonly #now: () => Date;
  #union: UnionAuthenticator;

  constructor({ clients, cacheTtlMs, authorities, now }: DelegatedAuthenticatorOptions) {
    this.#now = now;
    this.#tokens = clients ? [reviewingTokens(clients, cacheTtlMs, now)] : [];
    this.#union = this.#newUnion(authorities);
  }

  authenticate(request: ApiRequest): Promise<Authenticated | undefined> {
    return this.#union.authenticate(request);
  }

  /** Replaces the CAs of clients and front proxies. */
  setAuthorities(authorities: ClusterAuthentication): void {
    this.#union = this.#newUnion(authorities);
  }

  #newUnion(authorities: ClusterAuthentication): UnionAuthenticator {
    return new UnionAuthenticator({
      ...authorities,
      apiAudiences: [],
      tokens: this.#tokens,
      remembersTokens: false,
      anonymous: true,
      now: this.#now,
    });
  }
}

/** Asks the API server by TokenReview. The answers are cached. */
export const reviewingTokens = (clients: ClientSet, cacheTtlMs: number, now: () => Date): TokenAuthenticator =>
  tokenReviewAuthenticator({
    review: async ({ token }) => {
      const answer = await clients.authentication.v1
        .tokenReviews()
        .create({ metadata: {}, spec: { token } }, { timeoutMs: reviewTimeoutMs });
      return answer.status;
    },
    cacheTtlMs,
    apiAudiences: [],
    now,
  });
