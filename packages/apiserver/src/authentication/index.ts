/** Who asks. `UnionAuthenticator` puts all ways to find out together; start there. */
export type { Authenticator, TokenAuthenticator } from './authenticator.ts';
export { bootstrapTokenAuthenticator } from './bootstrap-token.ts';
export { CertificatePool } from './certificate-pool.ts';
export { standardRequestHeaders } from './request-header.ts';
export { serviceAccountTokenAuthenticators } from './service-account-token.ts';
export { loadTokenFile, StaticTokenAuthenticator } from './token-file.ts';
export { reviewToken } from './token-review.ts';
export { type AuthenticationOptions, UnionAuthenticator, unauthorized } from './union-authenticator.ts';
export { credentialRemover } from './without-credentials.ts';
