import type { SelfSubjectReview, TokenRequest, TokenReview } from '../../generated/authentication/v1.ts';
import type { GroupVersionBehaviour, Strategy } from '../../strategy/strategy.ts';
import { setTokenRequestDefaults, validateTokenRequest } from './token-request.ts';

/* These kinds are never stored: the server answers them. They have no validation besides that below. */
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
