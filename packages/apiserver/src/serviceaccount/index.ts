/** Tokens of service accounts: keys, issuing, the TokenRequest endpoint, what makes one valid, OpenID discovery. */
export { boundTokenValidator } from './bound-token.ts';
export { type Claims, readClaims } from './claims.ts';
export { parseJwt, verifyJwt } from './jwt.ts';
export { loadSigningKey, loadVerificationKeys } from './key-file.ts';
export type { SigningKey, VerificationKey } from './keys.ts';
export { type LegacyTokenOptions, legacyIssuer, legacyTokenValidator, secretLabeller } from './legacy-token.ts';
export {
  jwksPath,
  newOpenIdMetadata,
  type OpenIdMetadata,
  type OpenIdMetadataOptions,
  openIdConfigurationPath,
} from './openid-metadata.ts';
export { type NewToken, TokenIssuer, type TokenIssuerOptions } from './token-issuer.ts';
export type { TokenObjects, TokenValidator, ValidatedToken } from './token-objects.ts';
export { createTokenRequest, type TokenRequestContext, type TokenRequestOptions } from './token-request.ts';
export { serviceAccountUser, serviceAccountUsername, splitServiceAccountUsername } from './user-info.ts';
