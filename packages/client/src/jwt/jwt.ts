import { sign, verify } from 'node:crypto';
import type { UnverifiedJwt } from '@coxswain/apimachinery/jwt';
import type { JwtAlgorithm, SigningKey, VerificationKey } from './keys.ts';

const digests: Readonly<Record<JwtAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};
/** Ignored for RSA signatures. */
const dsaEncoding = 'ieee-p1363';

/** Returns a signed JSON Web Token in compact form. Its header has the key's algorithm and id. */
export function signJwt(claims: object, { algorithm, keyId, privateKey }: SigningKey): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${encode({ alg: algorithm, kid: keyId })}.${encode(claims)}`;
  const signature = sign(digests[algorithm], Buffer.from(input), { key: privateKey, dsaEncoding });
  return `${input}.${signature.toString('base64url')}`;
}

/**
 * Whether the token is signed by the key with the key's own algorithm. Returns false for tokens that name another
 * algorithm or have critical extensions (`crit`).
 *
 * Differs from upstream: RSA keys verify RS256 only, which is what upstream issues.
 */
export function verifyJwt({ header, input, signature }: UnverifiedJwt, key: VerificationKey): boolean {
  const { algorithm, publicKey } = key;
  if (header.alg !== algorithm || header.crit !== undefined) return false;
  return verify(digests[algorithm], Buffer.from(input), { key: publicKey, dsaEncoding }, signature);
}
