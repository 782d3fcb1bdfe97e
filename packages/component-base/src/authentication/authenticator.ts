import type { UserInfo } from '@coxswain/api';
import type { ApiRequest } from '../http/handler.ts';

export interface Authenticated {
  readonly user: UserInfo;
  /** Of the audiences that were asked for, those that the credential is good for. */
  readonly audiences?: readonly string[];
  /** What the client should be told in `Warning` headers. */
  readonly warnings?: readonly string[];
  /** For the audit log. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Finds out who asks. Undefined: there is no credential of its sort. An error: there is one, and it is no good; the
 * union of authenticators then goes on, and the request is refused when no other accepts it.
 */
export interface Authenticator {
  authenticate(request: ApiRequest): Promise<Authenticated | undefined>;
}

/** The same for a bearer token alone, as TokenReview has it. */
export interface TokenAuthenticator {
  /** `audiences` empty: those of the API server. */
  authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined>;
}
