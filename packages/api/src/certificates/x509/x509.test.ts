import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hashes,
  type PublicKey,
  parsePkixPublicKey,
  pemBlocks,
  rsaPssProblem,
  samePublicKey,
  verifyEcdsa,
  verifyEd25519,
} from './index.ts';
import { type RsaPublicKey, rsaPkcs1Problem } from './rsa.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const message = bytes('what is signed');

describe('hashes', () => {
  it.each(Object.values(hashes))('$name is what the platform says it is', ({ name, digest }) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        expect(Buffer.from(digest(data)).toString('hex')).toBe(createHash(name).update(data).digest('hex'));
      }),
      { numRuns: 60 },
    );
  });
});

const keyOf = (key: KeyObject): PublicKey =>
  parsePkixPublicKey(new Uint8Array(key.export({ type: 'spki', format: 'der' })));

describe.each(['P-224', 'P-256', 'P-384', 'P-521'])('a key of %s', (namedCurve) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const key = keyOf(publicKey);

  it.each(['SHA1', 'SHA256', 'SHA384', 'SHA512'] as const)(
    'verifies its own signature of a %s digest, and no other',
    (name) => {
      if (key.type !== 'ECDSA') throw new Error('not an elliptic key');
      const signature = new Uint8Array(sign(name, message, privateKey));
      const digest = hashes[name].digest(message);
      expect(key.curve.name).toBe(namedCurve);
      expect(verifyEcdsa(key, digest, signature)).toBe(true);
      expect(verifyEcdsa(key, hashes[name].digest(bytes('another')), signature)).toBe(false);
      expect(verifyEcdsa(key, digest, signature.subarray(1))).toBe(false);
      expect(verifyEcdsa(key, digest, signature.with(-1, signature.at(-1)! ^ 1))).toBe(false);
    },
  );
});

describe('an Ed25519 key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = keyOf(publicKey);

  it('verifies its own signatures, and no other', () => {
    if (key.type !== 'Ed25519') throw new Error('not an Ed25519 key');
    const signature = new Uint8Array(sign(null, message, privateKey));
    expect(verifyEd25519(key, message, signature)).toBe(true);
    expect(verifyEd25519(key, bytes('another'), signature)).toBe(false);
    expect(verifyEd25519(key, message, signature.with(0, signature[0]! ^ 1))).toBe(false);
    expect(verifyEd25519(key, message, signature.subarray(1))).toBe(false);
  });
});

describe('an RSA key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1025 });
  const key = keyOf(publicKey) as RsaPublicKey;

  it.each(['SHA1', 'SHA256', 'SHA384', 'SHA512'] as const)(
    'verifies its own signatures with %s, and no other',
    (name) => {
      const signature = new Uint8Array(sign(name, message, privateKey));
      expect(rsaPkcs1Problem(key, hashes[name], message, signature)).toBeUndefined();
      expect(rsaPkcs1Problem(key, hashes[name], bytes('another'), signature)).toBe('crypto/rsa: verification error');
      expect(rsaPkcs1Problem(key, hashes[name], message, signature.subarray(1))).toBe('crypto/rsa: verification error');
    },
  );

  it('verifies its own probabilistic signatures, and no other', () => {
    const options = { key: privateKey, padding: 6 /* RSA_PKCS1_PSS_PADDING */, saltLength: 32 };
    const signature = new Uint8Array(sign('SHA256', message, options));
    expect(rsaPssProblem(key, hashes.SHA256, message, signature)).toBeUndefined();
    expect(rsaPssProblem(key, hashes.SHA256, message, signature, 32)).toBeUndefined();
    expect(rsaPssProblem(key, hashes.SHA256, message, signature, 20)).toBe('crypto/rsa: verification error');
    expect(rsaPssProblem(key, hashes.SHA256, bytes('another'), signature)).toBe('crypto/rsa: verification error');
  });

  it.each([
    [
      { modulus: 3n ** 300n },
      'crypto/rsa: 476-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)',
    ],
    [{ modulus: 2n ** 2000n }, 'crypto/rsa: public modulus is even'],
    [{ exponent: 1n }, 'crypto/rsa: public exponent too small or negative'],
    [{ exponent: 4n }, 'crypto/rsa: public exponent is even'],
    [{ exponent: 2n ** 31n + 1n }, 'crypto/rsa: public exponent too large'],
  ])('is refused when it is %o', (change, problem) => {
    expect(rsaPkcs1Problem({ ...key, ...change }, hashes.SHA256, message, new Uint8Array(8))).toBe(problem);
  });

  it('is the same as itself only', () => {
    expect(samePublicKey(key, { ...key })).toBe(true);
    expect(samePublicKey(key, { ...key, exponent: 3n })).toBe(false);
    expect(samePublicKey(key, { type: 'Other' })).toBe(false);
  });
});

describe('PEM', () => {
  const block = '-----BEGIN X-----\nYWJj\n-----END X-----\n';
  const types = (text: string) =>
    [...pemBlocks(text)].map(({ type, bytes: content }) => `${type}:${Buffer.from(content)}`);

  it.each([
    ['nothing', '', []],
    ['a block', block, ['X:abc']],
    ['blocks and what is between them', `a\n${block}b\n${block}`, ['X:abc', 'X:abc']],
    ['a block without a last newline', block.trimEnd(), ['X:abc']],
    ['a block in the middle of a line', `a${block}`, []],
    ['a block whose end has another name', '-----BEGIN X-----\nYWJj\n-----END Y-----\n', []],
    ['the last beginning before an end', `-----BEGIN Y-----\n${block}`, ['X:abc']],
    ['a broken block before a good one', `-----BEGIN X-----\n!\n-----END X-----\n${block}`, ['X:abc']],
    ['carriage returns and spaces', block.replaceAll('\n', ' \r\n'), ['X:abc']],
    ['headers', block.replace('\n', '\nA: b\nC: d\n\n'), ['X:abc']],
    ['a block that is empty', '-----BEGIN X-----\n-----END X-----', ['X:']],
    ['more after the end', block.replace('END X-----', 'END X-----x'), []],
  ])('of %s is read as Go reads it', (_, text, found) => {
    expect(types(text)).toEqual(found);
  });
});
