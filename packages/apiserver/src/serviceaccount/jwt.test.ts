import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { parseJwt } from '@coxswain/apimachinery/jwt';
import { parseVerificationKeys, type SigningKey, signJwt, toSigningKey, verifyJwt } from '@coxswain/client/jwt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { upstreamKeys } from './upstream-keys.test-data.ts';

const signingKeys: SigningKey[] = [
  ...['P-256', 'P-384', 'P-521'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve })),
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
].map(({ privateKey }) => toSigningKey(privateKey));
const [es256, , , rs256] = signingKeys as [SigningKey, SigningKey, SigningKey, SigningKey];

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const isVerified = (token: string, key: SigningKey): boolean => {
  const parsed = parseJwt(token);
  return parsed !== undefined && verifyJwt(parsed, key);
};

describe('JSON Web Tokens', () => {
  it.each(upstreamKeys)('of upstream are verified: $name', ({ pem, token }) => {
    const parsed = parseJwt(token)!;
    const [key] = parseVerificationKeys(pem);
    expect(verifyJwt(parsed, key!)).toBe(true);
    expect(parsed.claims).toEqual({ aud: ['a&b'], iss: 'https://issuer', sub: 's', x: 'y' });
    const others = upstreamKeys
      .filter((other) => other.pem !== pem)
      .flatMap((other) => parseVerificationKeys(other.pem));
    expect(others.map((other) => verifyJwt(parsed, other))).toEqual([false, false, false]);
  });

  it.each(signingKeys)('are verified by the key that signed them: $algorithm', (key) => {
    const claims = { sub: 'a', 'kubernetes.io': { namespace: 'ü' } };
    const token = signJwt(claims, key);
    expect(parseJwt(token)?.claims).toEqual(claims);
    expect(signingKeys.filter((other) => isVerified(token, other))).toEqual([key]);
  });

  it('are not verified when any character differs', () => {
    const token = signJwt({ sub: 'a', exp: 1 }, es256);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...alphabet), (at, character) => {
        fc.pre(token[at] !== character);
        expect(isVerified(token.slice(0, at) + character + token.slice(at + 1), es256)).toBe(false);
      }),
    );
  });

  const payload = encode({ sub: 'a' });
  const { keyId, publicKey, privateKey } = rs256;
  const signedBy = (header: object, digest = 'sha256'): string => {
    const input = `${encode(header)}.${payload}`;
    return `${input}.${sign(digest, Buffer.from(input), privateKey).toString('base64url')}`;
  };
  it.each<[sentence: string, token: () => string]>([
    ['without a signature', () => `${encode({ alg: 'none', kid: keyId })}.${payload}.`],
    ['with algorithm none and some signature', () => `${encode({ alg: 'none' })}.${payload}.AAAA`],
    [
      'signed with the public key as a shared secret',
      () => {
        const input = `${encode({ alg: 'HS256', kid: keyId })}.${payload}`;
        const secret = publicKey.export({ type: 'spki', format: 'pem' });
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      },
    ],
    ['of another algorithm of the key', () => signedBy({ alg: 'RS512' }, 'sha512')],
    ['that names another algorithm than it is signed with', () => signedBy({ alg: 'ES256' })],
    ['without an algorithm', () => signedBy({})],
    ['with a list of algorithms', () => signedBy({ alg: ['RS256'] })],
    ['with critical extensions', () => signedBy({ alg: 'RS256', crit: ['b64'], b64: false })],
    ['with an empty signature', () => `${encode({ alg: 'RS256' })}.${payload}.`],
  ])('are not verified: one %s', (_, token) => {
    expect(isVerified(signedBy({ alg: 'RS256' }), rs256)).toBe(true);
    expect(isVerified(token(), rs256)).toBe(false);
  });

  it('of ECDSA are not verified by a signature of zeros or in another form', () => {
    const [header, claims] = signJwt({ sub: 'a' }, es256).split('.');
    const zeros = Buffer.alloc(64).toString('base64url');
    const der = sign('sha256', Buffer.from(`${header}.${claims}`), es256.privateKey).toString('base64url');
    expect([zeros, der].map((signature) => isVerified(`${header}.${claims}.${signature}`, es256))).toEqual([
      false,
      false,
    ]);
  });

  it.each([
    '',
    '.',
    '..',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    `${payload}.${payload}`,
    `W10.${payload}.AAAA`,
    `e30.W10.AAAA`,
    'e30=.e30.AAAA',
    'e30.e31.AAAA',
  ])('are not parsed from %j', (text) => {
    expect(parseJwt(text)).toBeUndefined();
  });

  it('never throw when any text is parsed', () => {
    fc.assert(
      fc.property(fc.string(), fc.json(), fc.json(), (text, header, claims) => {
        parseJwt(text);
        const parsed = parseJwt(
          `${Buffer.from(header).toString('base64url')}.${Buffer.from(claims).toString('base64url')}.AAAA`,
        );
        if (parsed) expect(signingKeys.some((key) => verifyJwt(parsed, key))).toBe(false);
      }),
    );
  });
});
