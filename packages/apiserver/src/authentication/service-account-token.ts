import { parseJwt } from '@coxswain/apimachinery/jwt';
import type { Authenticated, TokenAuthenticator } from '@coxswain/component-base/authentication';
import { aggregateErrors, formatAudiences, intersectAudiences } from '@coxswain/component-base/authentication';
import {
  boundTokenValidator,
  type Claims,
  type LegacyTokenOptions,
  legacyIssuer,
  legacyTokenValidator,
  readClaims,
  serviceAccountUser,
  type TokenValidator,
  type VerificationKey,
  verifyJwt,
} from '../serviceaccount/index.ts';

export interface ServiceAccountTokenOptions extends LegacyTokenOptions {
  /** `--service-account-issuer`: tokens of any of them are accepted. */
  readonly issuers: readonly string[];
  /** `--service-account-key-file` */
  readonly keys: readonly VerificationKey[];
  /** The audiences of tokens without an audience claim. */
  readonly apiAudiences: readonly string[];
}

/** Returns the authenticators for tokens in Secrets and for tokens of the TokenRequest API, in upstream's order. */
export function serviceAccountTokenAuthenticators(options: ServiceAccountTokenOptions): TokenAuthenticator[] {
  const { issuers, objects, now } = options;
  return [
    new JwtAuthenticator(options, [legacyIssuer], legacyTokenValidator(options)),
    new JwtAuthenticator(options, issuers, boundTokenValidator(objects, now)),
  ];
}

class JwtAuthenticator implements TokenAuthenticator {
  readonly #issuers: readonly string[];
  readonly #validate: TokenValidator;
  readonly #apiAudiences: readonly string[];
  readonly #keys: readonly VerificationKey[];
  readonly #keysById: ReadonlyMap<unknown, readonly VerificationKey[]>;

  constructor(
    { keys, apiAudiences }: ServiceAccountTokenOptions,
    issuers: readonly string[],
    validate: TokenValidator,
  ) {
    this.#issuers = issuers;
    this.#validate = validate;
    this.#apiAudiences = apiAudiences;
    this.#keys = keys;
    this.#keysById = new Map(keys.map((key) => [key.keyId, [key]]));
  }

  async authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const claims = this.#verified(token);
    if (!claims) return undefined;
    const offered = claims.audiences.length > 0 ? claims.audiences : this.#apiAudiences;
    const wanted = audiences.length > 0 ? audiences : this.#apiAudiences;
    const granted = intersectAudiences(offered, wanted);
    if (granted.length === 0 && this.#apiAudiences.length > 0)
      throw new Error(
        `token audiences ${formatAudiences(offered)} is invalid for the target audiences ${formatAudiences(wanted)}`,
      );
    const { identity, warnings, annotations } = await this.#validate(claims, token);
    const implicit = claims.audiences.length === 0 && { 'authentication.k8s.io/legacy-token': claims.subject };
    return {
      user: serviceAccountUser(identity),
      audiences: granted,
      ...(warnings && { warnings }),
      ...((annotations || implicit) && { annotations: { ...annotations, ...(implicit || {}) } }),
    };
  }

  /** The claims of a verified token; undefined for other issuers. Throws when no key has signed it. */
  #verified(token: string): Claims | undefined {
    const parsed = parseJwt(token);
    const issuer = parsed?.claims.iss;
    if (!parsed || typeof issuer !== 'string' || !this.#issuers.includes(issuer)) return undefined;
    const { kid } = parsed.header;
    const keys = kid === undefined || kid === '' ? this.#keys : (this.#keysById.get(kid) ?? []);
    if (keys.length === 0) throw new Error('invalid signature, no keys found');
    const errors: unknown[] = [];
    for (const key of keys) {
      try {
        if (verifyJwt(parsed, key)) return readClaims(parsed.claims);
        errors.push(new Error('go-jose/go-jose: error in cryptographic primitive'));
      } catch (error) {
        errors.push(error);
      }
    }
    throw aggregateErrors(errors);
  }
}
