import { DerReader, derTags, signedBigInt, toHex, X509Error } from '../der/der-reader.ts';
import { derBitString, derInteger, derNull, derOid, derSequence } from '../der/der-writer.ts';

export interface RsaPublicKey {
  readonly type: 'RSA';
  /** Big-endian, without leading zeros. */
  readonly modulus: Uint8Array;
  readonly exponent: bigint;
}

export type CurveName = 'P-224' | 'P-256' | 'P-384' | 'P-521';

export interface EcPublicKey {
  readonly type: 'ECDSA';
  readonly curve: CurveName;
  /** The uncompressed form: 4, x, y. */
  readonly point: Uint8Array;
}

export interface Ed25519PublicKey {
  readonly type: 'Ed25519';
  readonly bytes: Uint8Array;
}

/** A key with which signatures can be verified. */
export type VerifyingKey = RsaPublicKey | EcPublicKey | Ed25519PublicKey;

/** A key of an algorithm that Go knows but cannot verify signatures of is `Other`. */
export type PublicKey = VerifyingKey | { readonly type: 'Other' };

export interface AlgorithmIdentifier {
  readonly oid: string;
  /** The element after the identifier, tag and length included; empty when there is none. */
  readonly parameters: Uint8Array;
}

/** Returns whether the point of a key is on its curve; undefined when this cannot be determined. */
export type PointCheck = (key: EcPublicKey) => boolean | undefined;

export const algorithmOids = {
  rsa: '1.2.840.113549.1.1.1',
  ec: '1.2.840.10045.2.1',
  ed25519: '1.3.101.112',
  x25519: '1.3.101.110',
  dsa: '1.2.840.10040.4.1',
} as const;
const nullParameters = '0500';

const curves: readonly { readonly name: CurveName; readonly oid: string; readonly size: number }[] = [
  { name: 'P-224', oid: '1.3.132.0.33', size: 28 },
  { name: 'P-256', oid: '1.2.840.10045.3.1.7', size: 32 },
  { name: 'P-384', oid: '1.3.132.0.34', size: 48 },
  { name: 'P-521', oid: '1.3.132.0.35', size: 66 },
];

/**
 * Parses a key of a known algorithm; returns undefined when the algorithm is unknown. Throws an X509Error. `isOnCurve` checks whether the
 * point of an elliptic curve key is on its curve; without it this is not checked.
 */
export function parsePublicKey(
  { oid, parameters }: AlgorithmIdentifier,
  key: Uint8Array,
  isOnCurve?: PointCheck,
): PublicKey | undefined {
  switch (oid) {
    case algorithmOids.rsa:
      return parseRsaKey(parameters, key);
    case algorithmOids.ec:
      return parseEcKey(parameters, key, isOnCurve);
    case algorithmOids.ed25519:
      if (parameters.length > 0) throw new X509Error('x509: Ed25519 key encoded with illegal parameters');
      if (key.length !== 32) throw new X509Error('x509: wrong Ed25519 public key size');
      return { type: 'Ed25519', bytes: key };
    case algorithmOids.x25519:
    case algorithmOids.dsa:
      return { type: 'Other' };
    default:
      return undefined;
  }
}

function parseRsaKey(parameters: Uint8Array, key: Uint8Array): RsaPublicKey {
  if (toHex(parameters.subarray(0, 8)) !== nullParameters) throw new X509Error('x509: RSA key missing NULL parameters');
  const reader = new DerReader(key).enter(derTags.sequence, 'x509: invalid RSA public key');
  const modulus = reader.integerBytes('x509: invalid RSA modulus');
  const badExponent = 'x509: invalid RSA public exponent';
  const exponentBytes = reader.integerBytes(badExponent);
  if (exponentBytes.length > 8) throw new X509Error(badExponent);
  const exponent = signedBigInt(exponentBytes);
  if (modulus[0]! >= 0x80 || (modulus.length === 1 && modulus[0] === 0))
    throw new X509Error('x509: RSA modulus is not a positive number');
  if (exponent <= 0n) throw new X509Error('x509: RSA public exponent is not a positive number');
  return { type: 'RSA', modulus: modulus[0] === 0 ? modulus.subarray(1) : modulus, exponent };
}

function parseEcKey(parameters: Uint8Array, point: Uint8Array, isOnCurve?: PointCheck): EcPublicKey {
  const oid = new DerReader(parameters).oid('x509: invalid ECDSA parameters');
  const curve = curves.find((known) => known.oid === oid);
  if (!curve) throw new X509Error('x509: unsupported elliptic curve');
  if (point.length !== 1 + 2 * curve.size || point[0] !== 4)
    throw new X509Error('ecdsa: invalid uncompressed public key');
  const key: EcPublicKey = { type: 'ECDSA', curve: curve.name, point };
  if (isOnCurve?.(key) === false) throw new X509Error(`${curve.name.replace('-', '')} point not on curve`);
  return key;
}

/** Encodes a key with its algorithm as in X.509 (SubjectPublicKeyInfo). */
export function encodePublicKey(key: VerifyingKey): Uint8Array {
  switch (key.type) {
    case 'RSA': {
      const numbers = derSequence(derInteger(key.modulus), derInteger(bigEndian(key.exponent)));
      return derSequence(derSequence(derOid(algorithmOids.rsa), derNull), derBitString(numbers));
    }
    case 'ECDSA': {
      const { oid } = curves.find(({ name }) => name === key.curve)!;
      return derSequence(derSequence(derOid(algorithmOids.ec), derOid(oid)), derBitString(key.point));
    }
    case 'Ed25519':
      return derSequence(derSequence(derOid(algorithmOids.ed25519)), derBitString(key.bytes));
  }
}

/** Encodes in eight bytes. */
function bigEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** Returns the number of bits of the modulus. */
export const rsaKeyBits = ({ modulus }: RsaPublicKey): number => 8 * modulus.length - (Math.clz32(modulus[0]!) - 24);

const minRsaBits = 1024;
/** Differs from upstream, which has no limit: verifying with 16,384 bits takes 2 ms, and OpenSSL has the same limit. */
const maxRsaBits = 16384;

/** Returns why a key is not used to verify signatures, in Go's words; undefined when it is used. */
export function rsaKeyProblem(key: RsaPublicKey): string | undefined {
  const { modulus, exponent } = key;
  const bits = rsaKeyBits(key);
  if (bits < minRsaBits)
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  if (bits > maxRsaBits) return 'crypto/rsa: verification error';
  if (modulus.at(-1)! % 2 === 0) return 'crypto/rsa: public modulus is even';
  if (exponent < 2n) return 'crypto/rsa: public exponent too small or negative';
  if (exponent % 2n === 0n) return 'crypto/rsa: public exponent is even';
  return exponent > 2147483647n ? 'crypto/rsa: public exponent too large' : undefined;
}

/** Whether two keys are the same. */
export function samePublicKey(a: PublicKey | undefined, b: PublicKey | undefined): boolean {
  if (a?.type === 'RSA' && b?.type === 'RSA') return sameBytes(a.modulus, b.modulus) && a.exponent === b.exponent;
  if (a?.type === 'ECDSA' && b?.type === 'ECDSA') return a.curve === b.curve && sameBytes(a.point, b.point);
  return a?.type === 'Ed25519' && b?.type === 'Ed25519' && sameBytes(a.bytes, b.bytes);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
