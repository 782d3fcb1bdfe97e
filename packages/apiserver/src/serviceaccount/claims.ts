import { isJsonObject, ownEntry } from '@coxswain/apimachinery';

/** An object that a token names. */
export interface ClaimedObject {
  readonly name: string;
  readonly uid: string;
}

/** What a token says, all of it of the right type. Times are seconds since 1970. */
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
  /** Of tokens that live in a secret. */
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

/** Reads the claims of a verified token; what is not there is empty. Throws an Error for one of the wrong type. */
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

/** Null is as good as nothing, as in all JSON that upstream reads. */
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
