import { constants, createPublicKey, ECDH, type KeyObject, verify } from 'node:crypto';
import {
  type CurveName,
  encodePublicKey,
  type HashName,
  type SignatureVerifier,
  type Signed,
} from '@coxswain/apimachinery/x509';

const digests: Readonly<Record<HashName, string>> = {
  SHA1: 'sha1',
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
};

/** OpenSSL's names of the curves. */
const curves: Readonly<Record<CurveName, string>> = {
  'P-224': 'secp224r1',
  'P-256': 'prime256v1',
  'P-384': 'secp384r1',
  'P-521': 'secp521r1',
};

/** Verifies signatures with Node (OpenSSL), for all supported types of keys. */
export const nodeSignatures: SignatureVerifier = {
  verify(signed) {
    try {
      const der = Buffer.from(encodePublicKey(signed.key));
      return verifyWith(createPublicKey({ key: der, format: 'der', type: 'spki' }), signed);
    } catch {
      // OpenSSL rejects the key.
      return false;
    }
  },
  isOnCurve({ curve, point }) {
    // OpenSSL also accepts compressed points and the point at infinity.
    if (point[0] !== 4) return false;
    try {
      // A tenth of the cost of creating a key object, with the same check of the point.
      ECDH.convertKey(point, curves[curve], undefined, undefined, 'uncompressed');
      return true;
    } catch {
      return false;
    }
  },
};

function verifyWith(key: KeyObject, signed: Signed): boolean {
  const { message, signature } = signed;
  switch (signed.scheme) {
    case 'Ed25519':
      return verify(null, message, key, signature);
    case 'ECDSA':
      return verify(digests[signed.hash], message, { key, dsaEncoding: 'der' }, signature);
    case 'RSA-PKCS1':
      return verify(digests[signed.hash], message, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
    case 'RSA-PSS': {
      const { saltLength = constants.RSA_PSS_SALTLEN_AUTO } = signed;
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return verify(digests[signed.hash], message, { key, padding, saltLength }, signature);
    }
  }
}
