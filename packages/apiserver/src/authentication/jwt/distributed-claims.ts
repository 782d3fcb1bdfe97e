import { isJsonObject, quote } from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import { type Claims, cannotUnmarshal, hasClaim } from './claims.ts';
import { type IdTokenVerifierOptions, untrustedIssuer, verifyIdToken } from './id-token-verifier.ts';
import { OidcProvider, type OidcProviderOptions } from './oidc-provider.ts';

export interface DistributedClaimsOptions
  extends Omit<IdTokenVerifierOptions, 'issuer'>,
    Pick<OidcProviderOptions, 'ca' | 'clock' | 'logger'> {
  /** The only claim that may be distributed: the groups claim. */
  readonly claim: string;
  readonly get: OidcProvider['get'];
}

/** Differs from upstream, which has no limit: the least recently used issuer is dropped. */
const maxIssuers = 16;

/** Fetches a claim from the endpoint that the token names: OpenID Connect Core 1.0, section 5.6.2. Must be closed. */
export class DistributedClaims {
  readonly #options: DistributedClaimsOptions;
  readonly #providers = new LruCache<string, OidcProvider>(maxIssuers);

  constructor(options: DistributedClaimsOptions) {
    this.#options = options;
  }

  /** Returns the claims including the distributed one. Throws an Error with upstream's message on failure. */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options;
    if (hasClaim(claims, claim) || !hasClaim(claims, '_claim_names')) return claims;
    const names = claims._claim_names;
    if (!isJsonObject(names))
      throw new Error(
        `oidc: error parsing distributed claim names: ${cannotUnmarshal(names, 'map[string]string').message}`,
      );
    if (!hasClaim(claims, '_claim_sources')) throw new Error('oidc: no claim sources');
    const sources = claims._claim_sources;
    if (!isJsonObject(sources))
      throw new Error(
        `oidc: could not parse claim sources: ${cannotUnmarshal(sources, 'map[string]oidc.endpoint').message}`,
      );
    if (!hasClaim(names, claim)) return claims;
    const source = String(names[claim]);
    const where = hasClaim(sources, source) ? sources[source] : undefined;
    if (!isJsonObject(where))
      throw new Error(`id token _claim_names contained a source ${source} missing in _claims_sources`);
    const { endpoint, access_token: accessToken } = where;
    // Without an endpoint it is an aggregated claim, which is not supported.
    if (typeof endpoint !== 'string' || endpoint === '') return claims;
    const value = await this.#fetch(endpoint, typeof accessToken === 'string' ? accessToken : '');
    return Object.fromEntries([...Object.entries(claims), [claim, value]]);
  }

  close(): void {
    for (const [, provider] of this.#providers.entries()) provider.close();
    this.#providers.clear();
  }

  async #fetch(endpoint: string, accessToken: string): Promise<unknown> {
    const { claim } = this.#options;
    const jwt = await this.#token(endpoint, accessToken).catch((cause: Error) => {
      throw new Error(`while getting distributed claim ${quote(claim)}: ${cause.message}`, { cause });
    });
    const issuer = untrustedIssuer(jwt);
    if (issuer === undefined)
      throw new Error(
        `getting untrusted issuer from endpoint ${endpoint} failed for claim ${quote(claim)}: malformed token`,
      );
    const { keys } = this.#provider(issuer);
    if (!keys)
      throw new Error(
        `verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${quote(issuer)}`,
      );
    const claims = await verifyIdToken(jwt, keys, { ...this.#options, issuer }).catch((cause: Error) => {
      throw new Error(`verify distributed claim token: ${cause.message}`, { cause });
    });
    if (!hasClaim(claims, claim))
      throw new Error(`jwt returned by distributed claim endpoint ${quote(endpoint)} did not contain claim: ${claim}`);
    return claims[claim];
  }

  async #token(endpoint: string, accessToken: string): Promise<string> {
    const headers = accessToken === '' ? undefined : { authorization: `Bearer ${accessToken}` };
    const { code, status, body } = await this.#options.get(endpoint, headers);
    if (code < 200 || code > 226) throw new Error(`error while getting distributed claim JWT: ${status}`);
    return body.toString().trim();
  }

  #provider(issuer: string): OidcProvider {
    const { ca, now, clock, logger } = this.#options;
    const known = this.#providers.get(issuer);
    if (known) return known;
    const provider = new OidcProvider({ issuer, now, clock, logger, ...(ca !== undefined && { ca }) });
    this.#providers.set(issuer, provider)?.close();
    return provider;
  }
}
