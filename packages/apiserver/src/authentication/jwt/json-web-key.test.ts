import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { parseJwt } from '@coxswain/apimachinery/jwt';
import { describe, expect, it } from 'vitest';
import { isSignedBy, parseJsonWebKeySet } from './json-web-key.ts';

/** The key is read again, because Node can deadlock when it exports a generated one as JWK (generate-signing-key.ts). */
const jwkOf = (publicKey: KeyObject) =>
  createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' });

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const inputOf = (header: object): string => `${encode(header)}.${encode({ sub: 'x' })}`;

const pairs = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  small: generateKeyPairSync('rsa', { modulusLength: 1016 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ed25519: generateKeyPairSync('ed25519'),
} as const;
const jwks = JSON.stringify({
  keys: Object.entries(pairs).map(([kid, { publicKey }]) => ({ ...jwkOf(publicKey), kid })),
});
const keys = new Map(parseJsonWebKeySet(jwks).map((key) => [key.keyId, key]));

/** Whether the signature verifies with that key. */
const isGood = (name: keyof typeof pairs, input: string, signature: Buffer): boolean =>
  isSignedBy(parseJwt(`${input}.${signature.toString('base64url')}`)!, keys.get(name)!);

const raw = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' }) as const;

describe('a token is accepted as signed', () => {
  it.each([
    ['rsa', 'RS256', 'sha256'],
    ['rsa', 'RS512', 'sha512'],
    ['p256', 'ES256', 'sha256'],
    ['p384', 'ES384', 'sha384'],
  ] as const)('with %s and %s', (name, alg, digest) => {
    const input = inputOf({ alg });
    const signature = sign(digest, Buffer.from(input), raw(pairs[name].privateKey));
    expect(isGood(name, input, signature)).toBe(true);
    expect(isGood(name, inputOf({ alg, x: 1 }), signature)).toBe(false);
    expect(isGood(name, input, signature.subarray(1))).toBe(false);
  });

  it.each<[sentence: string, name: keyof typeof pairs, header: object, digest: string]>([
    ['the algorithm none', 'rsa', { alg: 'none' }, 'sha256'],
    ['an algorithm in lower case', 'rsa', { alg: 'rs256' }, 'sha256'],
    ['a list of algorithms', 'rsa', { alg: ['RS256'] }, 'sha256'],
    ['an algorithm for another digest', 'rsa', { alg: 'RS384' }, 'sha256'],
    ['an algorithm for another padding', 'rsa', { alg: 'PS256' }, 'sha256'],
    ['an algorithm for keys of another type', 'rsa', { alg: 'ES256' }, 'sha256'],
    ['an algorithm for another curve', 'p384', { alg: 'ES256' }, 'sha256'],
    ['an algorithm for RSA with an elliptic key', 'p256', { alg: 'RS256' }, 'sha256'],
    ['a critical extension', 'rsa', { alg: 'RS256', crit: ['b64'], b64: false }, 'sha256'],
    ['a key that is too small', 'small', { alg: 'RS256' }, 'sha256'],
  ])('and not with %s', (_, name, header, digest) => {
    const input = inputOf(header);
    expect(isGood(name, input, sign(digest, Buffer.from(input), raw(pairs[name].privateKey)))).toBe(false);
  });

  it('and not with a key of an unsupported type', () => {
    const input = inputOf({ alg: 'EdDSA' });
    expect(isGood('ed25519', input, sign(null, Buffer.from(input), pairs.ed25519.privateKey))).toBe(false);
  });

  it('and not by HMAC with the public key', () => {
    const input = inputOf({ alg: 'HS256' });
    const secrets = [pairs.rsa.publicKey.export({ type: 'spki', format: 'pem' }), jwks];
    for (const secret of secrets)
      expect(isGood('rsa', input, createHmac('sha256', secret).update(input).digest())).toBe(false);
  });

  it('and not with an ECDSA signature in DER, as in X.509', () => {
    const input = inputOf({ alg: 'ES256' });
    expect(isGood('p256', input, sign('sha256', Buffer.from(input), pairs.p256.privateKey))).toBe(false);
    expect(isGood('p256', input, Buffer.alloc(64))).toBe(false);
  });
});
