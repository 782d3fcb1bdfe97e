/** Service account tokens: keys, issuing, the TokenRequest endpoint, validation, OpenID discovery. */

export type { SigningKey, VerificationKey } from '@coxswain/client/jwt';
export { verifyJwt } from '@coxswain/client/jwt';
export { boundTokenValidator } from './bound-token.ts';
export { type Claims, readClaims } from './claims.ts';
export { generateSigningKey } from './generate-signing-key.ts';
export { loadSigningKey, loadVerificationKeys } from './key-file.ts';
export { type LegacyTokenOptions, legacyIssuer, legacyTokenValidator, secretLabeller } from './legacy-token.ts';
export {
  jwksPath,
  newOpenIdMetadata,
  openIdConfigurationPath,
} from './openid-metadata.ts';
export { TokenIssuer } from './token-issuer.ts';
export type { TokenValidator } from './token-objects.ts';
export { createTokenRequest, type TokenRequestOptions } from './token-request.ts';
export { serviceAccountUser } from './user-info.ts';
