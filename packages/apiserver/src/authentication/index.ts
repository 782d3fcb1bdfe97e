/** Who asks. `UnionAuthenticator` puts all ways to find out together; start there. */
export type { Authenticated, Authenticator, TokenAuthenticator } from './authenticator.ts';
export { type BootstrapTokenOptions, bootstrapTokenAuthenticator } from './bootstrap-token.ts';
export { CertificatePool } from './certificate-pool.ts';
export { type RequestHeaderNames, type RequestHeaderOptions, standardRequestHeaders } from './request-header.ts';
export { type ServiceAccountTokenOptions, serviceAccountTokenAuthenticators } from './service-account-token.ts';
export { loadTokenFile, StaticTokenAuthenticator } from './token-file.ts';
export { reviewToken } from './token-review.ts';
export { type AuthenticationOptions, UnionAuthenticator, unauthorized } from './union-authenticator.ts';
export { credentialRemover } from './without-credentials.ts';
