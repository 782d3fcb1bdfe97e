/** Authentication. `UnionAuthenticator` combines all authenticators; start there. */
export type { Authenticator, TokenAuthenticator } from '@coxswain/component-base/authentication';
export {
  type AuthenticationOptions,
  type CertificateAuthorities,
  CertificatePool,
  standardRequestHeaders,
  UnionAuthenticator,
  unauthorized,
} from '@coxswain/component-base/authentication';
export { bootstrapTokenAuthenticator } from './bootstrap-token.ts';
export {
  type AuthenticationConfiguration,
  parseAuthenticationConfiguration,
} from './jwt/authentication-configuration.ts';
export { signingAlgorithms } from './jwt/json-web-key.ts';
export { type JwtAuthentication, prepareJwtAuthentication } from './jwt/jwt-authentication.ts';
export { JwtAuthenticators } from './jwt/jwt-authenticators.ts';
export { JwtMetrics } from './jwt/jwt-metrics.ts';
export { serviceAccountTokenAuthenticators } from './service-account-token.ts';
export { loadTokenFile, StaticTokenAuthenticator } from './token-file.ts';
export { reviewToken } from './token-review.ts';
export { type TokenWebhookOptions, tokenReviewVersions, tokenWebhookAuthenticator } from './token-webhook.ts';
export { credentialRemover } from './without-credentials.ts';
