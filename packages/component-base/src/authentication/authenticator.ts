import type { UserInfo } from '@coxswain/api';
import type { ApiRequest } from '../http/handler.ts';

export interface Authenticated {
  readonly user: UserInfo;
  /** The requested audiences that the credential is valid for. */
  readonly audiences?: readonly string[];
  /** Sent to the client in `Warning` headers. */
  readonly warnings?: readonly string[];
  /** Audit annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Authenticates requests by one kind of credential. Returns undefined when the request carries no such credential.
 * Throws when the credential is invalid; `UnionAuthenticator` then tries the next authenticator and refuses the request
 * when none accepts it.
 */
export interface Authenticator {
  authenticate(request: ApiRequest): Promise<Authenticated | undefined>;
}

/** Authenticates a bare bearer token, as for a TokenReview. */
export interface TokenAuthenticator {
  /** Empty `audiences` stands for the API server's own audiences. Returns undefined for an unknown token. */
  authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined>;
}
