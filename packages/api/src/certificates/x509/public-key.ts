import { bytesToBigInt, DerReader, tags, toHex, X509Error } from './der.ts';
import { curves, type EcPublicKey, isOnCurve } from './ecdsa.ts';
import type { Ed25519PublicKey } from './ed25519.ts';
import type { RsaPublicKey } from './rsa.ts';

/** A key of an algorithm that Go knows but cannot check signatures of is `Other`. */
export type PublicKey = RsaPublicKey | EcPublicKey | Ed25519PublicKey | { readonly type: 'Other' };

export interface AlgorithmIdentifier {
  readonly oid: string;
  /** The element after the identifier, tag and length included; empty when there is none. */
  readonly parameters: Uint8Array;
}

const nullParameters = '0500';

/** Reads a key of a known algorithm; undefined when nobody knows the algorithm. Throws an X509Error. */
export function parsePublicKey({ oid, parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKey | undefined {
  switch (oid) {
    case '2a864886f70d010101':
      return parseRsaKey(parameters, key);
    case '2a8648ce3d0201':
      return parseEcKey(parameters, key);
    case '2b6570':
      if (parameters.length > 0) throw new X509Error('x509: Ed25519 key encoded with illegal parameters');
      if (key.length !== 32) throw new X509Error('x509: wrong Ed25519 public key size');
      return { type: 'Ed25519', bytes: key };
    case '2b656e': // X25519
    case '2a8648ce380401': // DSA
      return { type: 'Other' };
    default:
      return undefined;
  }
}

function parseRsaKey(parameters: Uint8Array, key: Uint8Array): RsaPublicKey {
  if (toHex(parameters) !== nullParameters) throw new X509Error('x509: RSA key missing NULL parameters');
  const reader = new DerReader(key).enter(tags.sequence, 'x509: invalid RSA public key');
  const modulus = reader.integer('x509: invalid RSA modulus');
  const exponent = reader.integer('x509: invalid RSA public exponent');
  if (exponent >= 2n ** 63n || exponent < -(2n ** 63n)) throw new X509Error('x509: invalid RSA public exponent');
  if (modulus <= 0n) throw new X509Error('x509: RSA modulus is not a positive number');
  if (exponent <= 0n) throw new X509Error('x509: RSA public exponent is not a positive number');
  return { type: 'RSA', modulus, exponent };
}

function parseEcKey(parameters: Uint8Array, key: Uint8Array): EcPublicKey {
  const curve = curves.get(new DerReader(parameters).oid('x509: invalid ECDSA parameters'));
  if (!curve) throw new X509Error('x509: unsupported elliptic curve');
  const { size, name } = curve;
  if (key.length !== 1 + 2 * size || key[0] !== 4) throw new X509Error('ecdsa: invalid uncompressed public key');
  const point = { x: bytesToBigInt(key.subarray(1, 1 + size)), y: bytesToBigInt(key.subarray(1 + size)) };
  if (!isOnCurve(curve, point)) throw new X509Error(`${name.replace('-', '')} point not on curve`);
  return { type: 'ECDSA', curve, point };
}

/** Whether two keys are the same. */
export function samePublicKey(a: PublicKey | undefined, b: PublicKey | undefined): boolean {
  if (a?.type === 'RSA' && b?.type === 'RSA') return a.modulus === b.modulus && a.exponent === b.exponent;
  if (a?.type === 'ECDSA' && b?.type === 'ECDSA')
    return a.curve === b.curve && a.point.x === b.point.x && a.point.y === b.point.y;
  return a?.type === 'Ed25519' && b?.type === 'Ed25519' && toHex(a.bytes) === toHex(b.bytes);
}
