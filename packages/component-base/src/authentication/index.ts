/** Authentication of requests. Start at `UnionAuthenticator`, which combines all methods. */
export { aggregateErrors } from './aggregate-errors.ts';
export { formatAudiences, intersectAudiences } from './audiences.ts';
export type { Authenticated, Authenticator, TokenAuthenticator } from './authenticator.ts';
export { bearerTokenOf, invalidBearerToken, protocolsWithoutToken } from './bearer-token.ts';
export { type CertificateAuthorities, CertificatePool } from './certificate-pool.ts';
export {
  type RequestHeaderNames,
  type RequestHeaderOptions,
  requestHeaderAuthenticator,
  requestHeaderMatcher,
  standardRequestHeaders,
} from './request-header.ts';
export {
  type TokenReviewOptions,
  type TokenReviewQuestion,
  tokenReviewAuthenticator,
} from './token-review-authenticator.ts';
export { type AuthenticationOptions, UnionAuthenticator, unauthorized } from './union-authenticator.ts';
