import type { VerificationKey } from '@coxswain/client/jwt';
import type { ApiResponse } from '@coxswain/component-base/http';

export const openIdConfigurationPath = '/.well-known/openid-configuration';
export const jwksPath = '/openid/v1/jwks';

export interface OpenIdMetadataOptions {
  /** The first `--service-account-issuer`. */
  readonly issuer: string;
  /** `--service-account-jwks-uri`. When empty, the key set is served at this server's address. */
  readonly jwksUri?: string;
  /** The host and port at which clients reach the server. */
  readonly externalAddress?: string;
  readonly keys: readonly VerificationKey[];
}

/** The responses of OpenID discovery, with which other parties can verify service account tokens. */
export interface OpenIdMetadata {
  readonly configuration: ApiResponse;
  readonly keyset: ApiResponse;
}

/**
 * Makes the two documents. Throws an Error with upstream's message when the issuer is not valid for OpenID; the server then runs
 * without OpenID discovery.
 */
export function newOpenIdMetadata({
  issuer,
  jwksUri = '',
  externalAddress = '',
  keys,
}: OpenIdMetadataOptions): OpenIdMetadata {
  if (issuer === '') throw new Error('empty issuer URL');
  if (jwksUri === '' && externalAddress === '')
    throw new Error('either the JWKS URI or the default external address, or both, must be set');
  checkIssuer(issuer);
  if (keys.length === 0) throw new Error('no keys provided for validating keyset');
  const configuration = {
    issuer,
    jwks_uri: jwksUri === '' ? ownJwksUri(externalAddress) : checkedJwksUri(jwksUri),
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  };
  return {
    configuration: document('application/json', configuration),
    keyset: document('application/jwk-set+json', { keys: keys.map(toJwk) }),
  };
}

function document(contentType: string, value: object): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' },
    body: Buffer.from(JSON.stringify(value)),
  };
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Error(`parse ${JSON.stringify(text)}: invalid URL`);
  return new URL(text);
}

function checkIssuer(issuer: string): void {
  const { protocol, search, hash } = parseUrl(issuer);
  if (protocol !== 'https:') throw new Error(`issuer URL must use https scheme, got: ${issuer}`);
  if (search !== '') throw new Error(`issuer URL may not include a query, got: ${issuer}`);
  if (hash !== '') throw new Error(`issuer URL may not include a fragment, got: ${issuer}`);
}

function checkedJwksUri(uri: string): string {
  if (parseUrl(uri).protocol !== 'https:') throw new Error(`jwksURI requires https scheme, parsed as: ${uri}`);
  return uri;
}

function ownJwksUri(address: string): string {
  const uri = `https://${address}${jwksPath}`;
  if (!URL.canParse(uri) || new URL(uri).pathname !== jwksPath)
    throw new Error(
      `attempted to build jwks_uri from external address ${address}, but could not construct a valid URL. Error: parse ${JSON.stringify(uri)}: invalid URL`,
    );
  return uri;
}

/** Returns a JWK with its members in upstream's order. */
function toJwk({ keyId, algorithm, publicKey }: VerificationKey): object {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: keyId, crv, alg: algorithm, x, y, n, e };
}
