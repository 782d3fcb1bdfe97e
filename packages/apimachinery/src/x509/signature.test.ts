import { describe, expect, it } from 'vitest';
import { derContext, derInteger, derNull, derOid, derSequence } from '../der/index.ts';
import {
  type AlgorithmIdentifier,
  type PublicKey,
  parsePkixPublicKey,
  type RsaPublicKey,
  type SignatureVerifier,
  type Signed,
  samePublicKey,
  signatureProblem,
  verificationProblem,
} from './index.ts';
import { type KeyName, keyPairs, spkiOf } from './samples.test-data.ts';

const keyOf = (name: KeyName): PublicKey => parsePkixPublicKey(spkiOf(keyPairs[name].publicKey));
const rsa = keyOf('RSA') as RsaPublicKey;
const message = Uint8Array.of(1);
const signature = Uint8Array.of(2);

/** A verifier that always returns the same result and records its arguments. */
function verifierOf(answer: boolean | undefined): SignatureVerifier & { readonly asked: Signed[] } {
  const asked: Signed[] = [];
  const verify = (signed: Signed) => {
    asked.push(signed);
    return answer;
  };
  return { asked, verify, isOnCurve: () => answer };
}

const algorithm = (oid: string, parameters: Uint8Array = new Uint8Array()): AlgorithmIdentifier => ({
  oid,
  parameters,
});
const sha256 = '2.16.840.1.101.3.4.2.1';
const pss = (saltLength: number, hash = sha256, maskHash = hash) => {
  const hashed = (oid: string) => derSequence(derOid(oid), derNull);
  const parameters = derSequence(
    derContext(0, hashed(hash)),
    derContext(1, derSequence(derOid('1.2.840.113549.1.1.8'), hashed(maskHash))),
    derContext(2, derInteger(Uint8Array.of(saltLength))),
  );
  return algorithm('1.2.840.113549.1.1.10', parameters);
};
const unsupported = 'x509: cannot verify signature: algorithm unimplemented';

describe('a signature', () => {
  it.each<[algorithm: AlgorithmIdentifier, key: KeyName, asked: object]>([
    [algorithm('1.2.840.113549.1.1.11'), 'RSA', { scheme: 'RSA-PKCS1', hash: 'SHA256' }],
    [algorithm('1.2.840.113549.1.1.5'), 'RSA', { scheme: 'RSA-PKCS1', hash: 'SHA1' }],
    [pss(32), 'RSA', { scheme: 'RSA-PSS', hash: 'SHA256', saltLength: 32 }],
    [algorithm('1.2.840.10045.4.3.4'), 'P-256', { scheme: 'ECDSA', hash: 'SHA512' }],
    [algorithm('1.3.101.112'), 'Ed25519', { scheme: 'Ed25519' }],
  ])('is verified by the scheme of its algorithm: %o', (identifier, name, asked) => {
    const verifier = verifierOf(true);
    expect(signatureProblem(identifier, keyOf(name), message, signature, verifier)).toBeUndefined();
    expect(verifier.asked).toEqual([expect.objectContaining({ ...asked, message, signature })]);
  });

  it.each<[algorithm: AlgorithmIdentifier, key: KeyName | undefined, problem: string]>([
    [algorithm('1.2.840.113549.1.1.4'), 'RSA', 'x509: cannot verify signature: insecure algorithm MD5-RSA'],
    [algorithm('1.2.3'), 'RSA', unsupported],
    [algorithm('1.2.840.113549.1.1.11'), undefined, unsupported],
    [algorithm('1.3.101.112', derNull), 'Ed25519', unsupported],
    [algorithm('1.2.840.113549.1.1.10'), 'RSA', unsupported],
    [pss(20), 'RSA', unsupported],
    [pss(32, sha256, '2.16.840.1.101.3.4.2.2'), 'RSA', unsupported],
    [
      algorithm('1.2.840.113549.1.1.11'),
      'P-256',
      'x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey',
    ],
    [
      algorithm('1.2.840.10045.4.3.2'),
      'Ed25519',
      'x509: signature algorithm specifies an ECDSA public key, but have public key of type ed25519.PublicKey',
    ],
    [
      algorithm('1.3.101.112'),
      'RSA',
      'x509: signature algorithm specifies an Ed25519 public key, but have public key of type *rsa.PublicKey',
    ],
  ])('is refused without verification when it is of %o by %s', (identifier, name, problem) => {
    const verifier = verifierOf(true);
    expect(signatureProblem(identifier, name && keyOf(name), message, signature, verifier)).toBe(problem);
    expect(verifier.asked).toEqual([]);
  });

  it.each<[key: KeyName, algorithm: string, problem: string]>([
    ['RSA', '1.2.840.113549.1.1.11', 'crypto/rsa: verification error'],
    ['P-384', '1.2.840.10045.4.3.2', 'x509: ECDSA verification failure'],
    ['Ed25519', '1.3.101.112', 'x509: Ed25519 verification failure'],
  ])('of %s is refused when the verifier returns false, but not when it returns undefined', (name, oid, problem) => {
    const judge = (answer: boolean | undefined) =>
      signatureProblem(algorithm(oid), keyOf(name), message, signature, verifierOf(answer));
    expect([judge(false), judge(true), judge(undefined)]).toEqual([problem, undefined, undefined]);
  });
});

describe('an RSA key', () => {
  const bits = (count: number): Uint8Array => {
    const bytes = new Uint8Array(Math.ceil(count / 8)).fill(0xff);
    bytes[0] = 0xff >> (bytes.length * 8 - count);
    return bytes;
  };

  it.each<[change: Partial<RsaPublicKey>, problem: string]>([
    [
      { modulus: bits(1023) },
      'crypto/rsa: 1023-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)',
    ],
    [{ modulus: bits(16385) }, 'crypto/rsa: verification error'],
    [{ modulus: bits(2048).with(-1, 0xfe) }, 'crypto/rsa: public modulus is even'],
    [{ exponent: 1n }, 'crypto/rsa: public exponent too small or negative'],
    [{ exponent: 4n }, 'crypto/rsa: public exponent is even'],
    [{ exponent: 2n ** 31n + 1n }, 'crypto/rsa: public exponent too large'],
  ])('is not used when it is %o', (change, problem) => {
    const verifier = verifierOf(true);
    const key = { ...rsa, ...change };
    const signed: Signed = { scheme: 'RSA-PKCS1', hash: 'SHA256', key, message, signature };
    expect(verificationProblem(signed, verifier)).toBe(problem);
    expect(verifier.asked).toEqual([]);
  });

  it('of 16,384 bits is used', () => {
    const key = { ...rsa, modulus: bits(16384) };
    const signed: Signed = { scheme: 'RSA-PKCS1', hash: 'SHA256', key, message, signature };
    expect(verificationProblem(signed, verifierOf(true))).toBeUndefined();
  });

  it('equals only itself', () => {
    expect(samePublicKey(rsa, { ...rsa })).toBe(true);
    expect(samePublicKey(rsa, { ...rsa, exponent: 3n })).toBe(false);
    expect(samePublicKey(rsa, { type: 'Other' })).toBe(false);
    expect(samePublicKey(rsa, undefined)).toBe(false);
  });
});
