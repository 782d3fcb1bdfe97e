import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isJsonObject, parseJson } from '@coxswain/apimachinery';
import type { UnverifiedJwt } from '@coxswain/apimachinery/jwt';

type SignatureFamily = 'pkcs1' | 'pss' | 'ecdsa';

interface SigningAlgorithm {
  readonly family: SignatureFamily;
  readonly digest: string;
  /** The curve of ECDSA, by OpenSSL's name. */
  readonly curve?: string;
}

/** All supported algorithms. They are asymmetric: the server shares no secret with an issuer. */
const algorithms: ReadonlyMap<unknown, SigningAlgorithm> = new Map<unknown, SigningAlgorithm>([
  ['ES256', { family: 'ecdsa', digest: 'sha256', curve: 'prime256v1' }],
  ['ES384', { family: 'ecdsa', digest: 'sha384', curve: 'secp384r1' }],
  ['ES512', { family: 'ecdsa', digest: 'sha512', curve: 'secp521r1' }],
  ['PS256', { family: 'pss', digest: 'sha256' }],
  ['PS384', { family: 'pss', digest: 'sha384' }],
  ['PS512', { family: 'pss', digest: 'sha512' }],
  ['RS256', { family: 'pkcs1', digest: 'sha256' }],
  ['RS384', { family: 'pkcs1', digest: 'sha384' }],
  ['RS512', { family: 'pkcs1', digest: 'sha512' }],
]);

export const signingAlgorithms: readonly string[] = [...algorithms.keys()].map(String);

/** A key of a JSON Web Key Set. */
export interface JsonWebKey {
  readonly keyId: string;
  /** Absent for key types that do not sign tokens. */
  readonly publicKey?: KeyObject;
}

/** Shorter RSA keys are insecure, and verify no token. */
const minRsaBits = 1024;
const keyTypes: ReadonlySet<unknown> = new Set(['EC', 'RSA', 'oct', 'OKP']);

/** Parses a JSON Web Key Set. Throws an Error when the set or one of its keys is invalid. */
export function parseJsonWebKeySet(text: string): JsonWebKey[] {
  const set: unknown = parseJson(Buffer.from(text)).value;
  const keys = isJsonObject(set) ? (set.keys ?? []) : undefined;
  if (!Array.isArray(keys)) throw new Error('json: cannot unmarshal the key set');
  return keys.map((key: unknown) => {
    if (!isJsonObject(key)) throw new Error('json: cannot unmarshal a key of the key set');
    return readKey(key);
  });
}

function readKey(key: Record<string, unknown>): JsonWebKey {
  const { kty, kid = '', crv, x, y, n, e } = key;
  if (!keyTypes.has(kty)) throw new Error(`go-jose/go-jose: unknown json web key type '${String(kty ?? '')}'`);
  if (typeof kid !== 'string') throw new Error('json: cannot unmarshal the id of a key');
  if (kty === 'oct' || kty === 'OKP') return { keyId: kid };
  try {
    // Only the public members: some sets also contain private ones by mistake.
    const parts = Object.entries({ kty, crv, x, y, n, e }).filter(([, part]) => typeof part === 'string');
    const publicKey = createPublicKey({ key: Object.fromEntries(parts), format: 'jwk' });
    return { keyId: kid, publicKey };
  } catch (cause) {
    throw new Error(`go-jose/go-jose: invalid ${String(kty)} key, missing or malformed values`, { cause });
  }
}

/** Whether the key signed the token with the algorithm in the token's header, which must fit the type of the key. */
export function isSignedBy({ header, input, signature }: UnverifiedJwt, { publicKey }: JsonWebKey): boolean {
  const algorithm = algorithms.get(header.alg);
  if (!algorithm || !publicKey || header.crit !== undefined || !fits(publicKey, algorithm)) return false;
  const key = { key: publicKey, ...schemes[algorithm.family] };
  try {
    return verify(algorithm.digest, Buffer.from(input), key, signature);
  } catch {
    return false;
  }
}

const schemes = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  pss: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
  ecdsa: { dsaEncoding: 'ieee-p1363' },
} as const;

function fits({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, { family, curve }: SigningAlgorithm): boolean {
  if (family === 'ecdsa') return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === curve;
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= minRsaBits;
}
