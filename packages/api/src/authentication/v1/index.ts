import { type ErrorList, invalid, Path } from '@coxswain/apimachinery';
import type { SelfSubjectReview, TokenRequest, TokenReview } from '../../generated/authentication/v1.ts';
import type { GroupVersionBehaviour, Strategy } from '../../strategy/strategy.ts';

const expirationPath = Path.of('spec', 'expirationSeconds');
const minSeconds = 10 * 60;
const maxSeconds = 2 ** 32;

function setTokenRequestDefaults({ spec }: TokenRequest): void {
  spec.expirationSeconds ??= 60 * 60;
}

function validateTokenRequest({ spec }: TokenRequest): ErrorList {
  const { expirationSeconds: seconds = 0 } = spec;
  if (seconds < minSeconds)
    return [invalid(expirationPath, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > maxSeconds)
    return [invalid(expirationPath, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

/* None of these is ever stored: the server answers them, and asks no more of them than is said here. */
const tokenRequestStrategy: Strategy<TokenRequest> = { validate: validateTokenRequest };
const tokenReviewStrategy: Strategy<TokenReview> = {};
const selfSubjectReviewStrategy: Strategy<SelfSubjectReview> = {};

export const behaviour: GroupVersionBehaviour = {
  group: 'authentication.k8s.io',
  version: 'v1',
  defaults: { TokenRequest: setTokenRequestDefaults },
  strategies: {
    SelfSubjectReview: selfSubjectReviewStrategy,
    TokenRequest: tokenRequestStrategy,
    TokenReview: tokenReviewStrategy,
  },
};
