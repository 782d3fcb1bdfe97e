import { sign, verify } from 'node:crypto';
import type { UnverifiedJwt } from '@coxswain/apimachinery/jwt';
import type { JwtAlgorithm, SigningKey, VerificationKey } from './keys.ts';

const digests: Readonly<Record<JwtAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};
/** RSA signatures don't look at it. */
const dsaEncoding = 'ieee-p1363';

/** A signed JSON Web Token in its compact form, with the key's algorithm and id in its header. */
export function signJwt(claims: object, { algorithm, keyId, privateKey }: SigningKey): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${encode({ alg: algorithm, kid: keyId })}.${encode(claims)}`;
  const signature = sign(digests[algorithm], Buffer.from(input), { key: privateKey, dsaEncoding });
  return `${input}.${signature.toString('base64url')}`;
}

/**
 * Whether the key signed the token, with the key's own algorithm. A token that asks for another one, or for extensions
 * that must be understood, is not accepted.
 *
 * Differs from upstream: RSA keys sign with RS256 alone, as they do when upstream issues tokens.
 */
export function verifyJwt({ header, input, signature }: UnverifiedJwt, key: VerificationKey): boolean {
  const { algorithm, publicKey } = key;
  if (header.alg !== algorithm || header.crit !== undefined) return false;
  return verify(digests[algorithm], Buffer.from(input), { key: publicKey, dsaEncoding }, signature);
}
