import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import type { EcPublicKey, HashName, SignatureVerifier, Signed } from '../x509/index.ts';

const hashes: Readonly<Record<HashName, (message: Uint8Array) => Uint8Array>> = {
  SHA1: sha1,
  SHA256: sha256,
  SHA384: sha384,
  SHA512: sha512,
};

const curves = { 'P-256': p256, 'P-384': p384, 'P-521': p521 } as const;

const curveOf = ({ curve }: EcPublicKey) => (curve === 'P-224' ? undefined : curves[curve]);

/**
 * Verifies signatures of ECDSA (P-256, P-384, P-521) and Ed25519. The result is undefined for RSA keys and P-224, which the libraries do
 * not support.
 */
export const portableSignatures: SignatureVerifier = {
  verify(signed) {
    try {
      return verify(signed);
    } catch {
      // The signature or the key is malformed.
      return false;
    }
  },
  isOnCurve(key) {
    return curveOf(key)?.utils.isValidPublicKey(key.point, false);
  },
};

function verify(signed: Signed): boolean | undefined {
  const { message, signature } = signed;
  if (signed.scheme === 'Ed25519') return ed25519.verify(signature, message, signed.key.bytes, { zip215: false });
  if (signed.scheme !== 'ECDSA') return undefined;
  const digest = hashes[signed.hash](message);
  // Both s and its negative are valid, as X.509 requires.
  const options = { prehash: false, lowS: false, format: 'der' } as const;
  return curveOf(signed.key)?.verify(signature, digest, signed.key.point, options);
}
