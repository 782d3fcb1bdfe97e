import type { TokenReviewSpec, TokenReviewStatus } from '@coxswain/api/authentication/v1';
import { newBadRequest, newInternalError } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Authenticated, TokenAuthenticator } from '@coxswain/component-base/authentication';
import {
  aggregateErrors,
  bearerTokenOf,
  intersectAudiences,
  invalidBearerToken,
} from '@coxswain/component-base/authentication';

/**
 * Returns the status of a TokenReview: the user of the token, and the requested audiences that it is valid for. Without
 * requested audiences, those are the API server's. Throws an ApiError when the spec has no token.
 *
 * Differs from upstream: a token that starts with a space is unknown. Upstream authenticates it as `system:anonymous`.
 */
export async function reviewToken(
  spec: TokenReviewSpec,
  authenticator: TokenAuthenticator,
  apiAudiences: readonly string[],
): Promise<TokenReviewStatus> {
  if (!spec.token) throw newBadRequest('token is required for TokenReview in authentication');
  const audiences = spec.audiences?.length ? spec.audiences : apiAudiences;
  let found: Authenticated | undefined;
  let problem: unknown = new Error(invalidBearerToken);
  try {
    const token = bearerTokenOf(`Bearer ${spec.token}`);
    found = token === undefined ? undefined : await authenticator.authenticateToken(token, audiences);
  } catch (error) {
    // The first error is that of upstream's loopback token authenticator, which precedes all others.
    problem = aggregateErrors([problem, error]);
  }
  if (!found) return { user: {}, error: messageOf(problem) };
  const { user, audiences: granted = [] } = found;
  if (audiences.length > 0 && intersectAudiences(granted, audiences).length === 0)
    throw newInternalError('error validating audiences');
  const { username, uid, groups, extra } = user;
  return {
    authenticated: true,
    user: {
      username,
      ...(uid && { uid }),
      ...(groups && groups.length > 0 && { groups: [...groups] }),
      ...(extra && Object.keys(extra).length > 0 && { extra: copyExtra(extra) }),
    },
    ...(granted.length > 0 && { audiences: [...granted] }),
  };
}

/**
 * Copies with Object.fromEntries, so that keys from tokens and front proxies, like `__proto__`, become own properties.
 */
const copyExtra = (extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
