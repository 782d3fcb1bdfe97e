import type { UserInfo } from '@coxswain/api';
import type { ApiError } from '@coxswain/apimachinery';
import { newUnauthorized } from '@coxswain/apimachinery';
import type { ApiRequest } from '../http/handler.ts';
import { aggregateErrors } from './aggregate-errors.ts';
import type { Authenticated, Authenticator, TokenAuthenticator } from './authenticator.ts';
import { bearerTokenAuthenticator, isBearerTokenIgnored, webSocketTokenAuthenticator } from './bearer-token.ts';
import type { CertificateAuthorities } from './certificate-pool.ts';
import { clientCertificateAuthenticator } from './client-certificate.ts';
import { type RequestHeaderOptions, requestHeaderAuthenticator } from './request-header.ts';
import { TokenCache } from './token-cache.ts';
import { TokenUnion } from './token-union.ts';

export interface AuthenticationOptions {
  /** `--api-audiences`; by default the issuers of service account tokens. */
  readonly apiAudiences: readonly string[];
  readonly requestHeader?: RequestHeaderOptions;
  readonly clientCA?: CertificateAuthorities;
  /** In the order in which they are tried: token file, service accounts, bootstrap tokens, issuers, webhook. */
  readonly tokens: readonly TokenAuthenticator[];
  /** Whether verified tokens are cached for a short time. Not needed when the token authenticators cache themselves. Default true. */
  readonly remembersTokens?: boolean;
  /** `--anonymous-auth`: requests without credentials are those of `system:anonymous`. With `paths`: only for these paths. */
  readonly anonymous: boolean | { readonly paths: readonly string[] };
  readonly now: () => Date;
}

const anonymousUser = 'system:anonymous';
const authenticatedGroup = 'system:authenticated';
const unauthenticatedGroup = 'system:unauthenticated';

/**
 * Combines all authentication methods in upstream's order: front proxy, client certificate, bearer token (in the header, then as a
 * WebSocket subprotocol), and anonymous for requests without credentials. A request with an invalid credential is never anonymous: unless
 * another credential is accepted, it throws one Error with all problems, which is for the log and not for the client.
 *
 * Authenticated users get the group `system:authenticated`. As long as a credential is cached, the returned object for it is the same, so
 * that callers can use it as a cache key.
 */
export class UnionAuthenticator implements Authenticator, TokenAuthenticator {
  readonly #requests: readonly Authenticator[];
  readonly #tokens: TokenAuthenticator;
  readonly #isAnonymousAllowed: (request: ApiRequest) => boolean;
  readonly #anonymous: Authenticated;
  readonly #withGroup = new WeakMap<object, Authenticated>();

  constructor(options: AuthenticationOptions) {
    const { apiAudiences, requestHeader, clientCA, tokens, remembersTokens = true, anonymous, now } = options;
    const union = new TokenUnion(tokens, apiAudiences);
    this.#tokens = remembersTokens ? new TokenCache(union, { now }) : union;
    this.#requests = [
      ...(requestHeader ? [requestHeaderAuthenticator(requestHeader, apiAudiences, now)] : []),
      ...(clientCA ? [clientCertificateAuthenticator(clientCA, now)] : []),
      // Without token authenticators, a bearer token is ignored instead of refused.
      ...(tokens.length > 0
        ? [
            bearerTokenAuthenticator(this.#tokens, apiAudiences),
            webSocketTokenAuthenticator(this.#tokens, apiAudiences),
          ]
        : []),
    ];
    const paths = typeof anonymous === 'object' ? new Set(anonymous.paths) : undefined;
    this.#isAnonymousAllowed = ({ path }) => (paths ? paths.has(path) : anonymous === true);
    this.#anonymous = {
      user: { username: anonymousUser, groups: [unauthenticatedGroup] },
      ...(apiAudiences.length > 0 && { audiences: apiAudiences }),
    };
  }

  async authenticate(request: ApiRequest): Promise<Authenticated | undefined> {
    const { user } = request.connection;
    if (user) return this.#recognized(user, () => ({ user }));
    let errors: unknown[] | undefined;
    for (const authenticator of this.#requests) {
      try {
        const found = await authenticator.authenticate(request);
        if (found) return this.#recognized(found, () => found);
      } catch (error) {
        errors ??= [];
        errors.push(error);
      }
    }
    if (errors) throw aggregateErrors(errors);
    return this.#isAnonymousAllowed(request) ? this.#anonymousFor(request) : undefined;
  }

  /** Authenticates the token of a TokenReview. Returns undefined for an unknown token. Throws an Error that says why a token is invalid. */
  async authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const found = await this.#tokens.authenticateToken(token, audiences);
    return found && this.#recognized(found, () => found);
  }

  #recognized(key: object, make: () => Authenticated): Authenticated {
    let recognized = this.#withGroup.get(key);
    if (!recognized) {
      const found = make();
      recognized = { ...found, user: withAuthenticatedGroup(found.user) };
      this.#withGroup.set(key, recognized);
    }
    return recognized;
  }

  #anonymousFor(request: ApiRequest): Authenticated {
    if (!isBearerTokenIgnored(request)) return this.#anonymous;
    const warning = 'the provided Authorization header contains extra space before the bearer token, and is ignored';
    return { ...this.#anonymous, warnings: [warning] };
  }
}

function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const { username, groups = [] } = user;
  const isSaid = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup);
  return username === anonymousUser || isSaid ? user : { ...user, groups: [...groups, authenticatedGroup] };
}

/** The 401 response. It does not tell the client the reason. */
export const unauthorized = (cause?: unknown): ApiError =>
  newUnauthorized('Unauthorized', cause === undefined ? undefined : { cause });
