import { isJsonObject, ownEntry } from '@coxswain/apimachinery';

/** A reference to an object in a token. */
export interface ClaimedObject {
  readonly name: string;
  readonly uid: string;
}

/** The parsed claims of a token. Times are in Unix seconds. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly expiry?: number;
  readonly notBefore?: number;
  readonly issuedAt?: number;
  /** `jti` */
  readonly id: string;
  readonly kubernetes: KubernetesClaims;
  /** The claims of legacy tokens in secrets. */
  readonly legacy: LegacyClaims;
}

interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceAccount: ClaimedObject;
  readonly pod?: ClaimedObject;
  readonly secret?: ClaimedObject;
  readonly node?: ClaimedObject;
  readonly warnAfter?: number;
}

export interface LegacyClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUid: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Parses the claims of a verified token. Missing claims are empty. Throws an Error when a claim has the wrong type. */
export function readClaims(json: Json): Claims {
  const kubernetes = objectClaim(json, 'kubernetes.io') ?? {};
  const reference = (key: string): ClaimedObject | undefined => {
    const claim = objectClaim(kubernetes, key);
    return claim && { name: textClaim(claim, 'name'), uid: textClaim(claim, 'uid') };
  };
  const legacy = (key: string): string => textClaim(json, `kubernetes.io/serviceaccount/${key}`);
  return {
    issuer: textClaim(json, 'iss'),
    subject: textClaim(json, 'sub'),
    audiences: readAudiences(ownEntry(json, 'aud')),
    expiry: timeClaim(json, 'exp'),
    notBefore: timeClaim(json, 'nbf'),
    issuedAt: timeClaim(json, 'iat'),
    id: textClaim(json, 'jti'),
    kubernetes: {
      namespace: textClaim(kubernetes, 'namespace'),
      serviceAccount: reference('serviceaccount') ?? { name: '', uid: '' },
      pod: reference('pod'),
      secret: reference('secret'),
      node: reference('node'),
      warnAfter: timeClaim(kubernetes, 'warnafter'),
    },
    legacy: {
      namespace: legacy('namespace'),
      secretName: legacy('secret.name'),
      serviceAccountName: legacy('service-account.name'),
      serviceAccountUid: legacy('service-account.uid'),
    },
  };
}

/** Returns a claim, or undefined. As in Go's JSON decoding, null means absent. */
function claimOf(json: Json, key: string): unknown {
  return ownEntry(json, key) ?? undefined;
}

function textClaim(json: Json, key: string): string {
  const value = claimOf(json, key) ?? '';
  if (typeof value !== 'string') throw new Error(`claim ${key} is not a string`);
  return value;
}

function objectClaim(json: Json, key: string): Json | undefined {
  const value = claimOf(json, key);
  if (value === undefined || isJsonObject(value)) return value;
  throw new Error(`claim ${key} is not an object`);
}

function timeClaim(json: Json, key: string): number | undefined {
  const value = claimOf(json, key);
  if (value === undefined) return undefined;
  if (typeof value === 'number') return Math.trunc(value);
  throw new Error('go-jose/go-jose/jwt: expected number value to unmarshal NumericDate');
}

function readAudiences(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const audiences: unknown[] = Array.isArray(value) ? value : [value];
  if (audiences.every((audience) => typeof audience === 'string')) return audiences;
  throw new Error('go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience');
}
