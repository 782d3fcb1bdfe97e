import type { UserInfo } from '@coxswain/api';
import { isJsonObject } from '@coxswain/apimachinery';
import { intersectAudiences } from './audiences.ts';
import type { Authenticated, TokenAuthenticator } from './authenticator.ts';
import { TokenCache } from './token-cache.ts';

/** The `spec` of a TokenReview. */
export interface TokenReviewQuestion {
  readonly token: string;
  readonly audiences?: readonly string[];
}

export interface TokenReviewOptions {
  /** Sends a TokenReview to a remote authenticator and returns the `status` of the response. */
  readonly review: (question: TokenReviewQuestion) => Promise<unknown>;
  /** 0: no caching. */
  readonly cacheTtlMs: number;
  /** The audiences assumed for a token when the response names none. */
  readonly apiAudiences: readonly string[];
  readonly now: () => Date;
}

/**
 * Returns an authenticator that asks a remote one by TokenReview and caches the answers, unknown tokens included. It throws an Error when
 * the review fails, or with `status.error` when the token is not authenticated.
 */
export function tokenReviewAuthenticator(options: TokenReviewOptions): TokenAuthenticator {
  const { cacheTtlMs, now } = options;
  const asking: TokenAuthenticator = { authenticateToken: (token, audiences) => ask(token, audiences, options) };
  return cacheTtlMs > 0 ? new TokenCache(asking, { now, ttlMs: cacheTtlMs, remembersUnknown: true }) : asking;
}

async function ask(
  token: string,
  audiences: readonly string[],
  { review, apiAudiences }: TokenReviewOptions,
): Promise<Authenticated | undefined> {
  const answer = await review({ token, ...(audiences.length > 0 && { audiences }) });
  const status = isJsonObject(answer) ? answer : {};
  const named = stringsOf(status.audiences);
  const granted = intersectAudiences(named.length > 0 ? named : apiAudiences, audiences);
  if (audiences.length > 0 && granted.length === 0) return undefined;
  if (status.authenticated === true)
    return { user: userOf(status.user), ...(audiences.length > 0 && { audiences: granted }) };
  if (typeof status.error === 'string' && status.error !== '') throw new Error(status.error);
  return undefined;
}

function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = isJsonObject(value) ? value : {};
  const entries = isJsonObject(extra) ? Object.entries(extra).map(([key, values]) => [key, stringsOf(values)]) : [];
  return {
    username: typeof username === 'string' ? username : '',
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(Array.isArray(groups) && { groups: stringsOf(groups) }),
    ...(entries.length > 0 && { extra: Object.fromEntries(entries) }),
  };
}

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
