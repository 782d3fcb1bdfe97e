import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSigningKey, parseVerificationKeys } from '@coxswain/client/jwt';
import { issueKeyPair } from '@coxswain/client/x509';
import { describe, expect, it } from 'vitest';
import { loadSigningKey, loadVerificationKeys } from './key-file.ts';
import { upstreamKeys } from './upstream-keys.test-data.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const pem = (key: typeof rsa, type: 'pkcs1' | 'pkcs8' | 'sec1'): string =>
  key.export({ type, format: 'pem' }).toString();

describe('keys of service accounts', () => {
  it.each(upstreamKeys)('have upstream’s id and algorithm: $name', ({ pem, algorithm, token }) => {
    const [key] = parseVerificationKeys(pem);
    const header = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    expect({ alg: key!.algorithm, kid: key!.keyId }).toEqual(header);
    expect(key!.algorithm).toBe(algorithm);
  });

  it('may be private keys in any PEM format', () => {
    const forms = [pem(rsa, 'pkcs1'), pem(rsa, 'pkcs8'), pem(ec, 'sec1'), pem(ec, 'pkcs8')];
    expect(forms.map((text) => parseSigningKey(text).algorithm)).toEqual(['RS256', 'RS256', 'ES384', 'ES384']);
    const { keyId } = parseSigningKey(forms[2]!);
    expect(parseVerificationKeys(forms[2]!).map((key) => key.keyId)).toEqual([keyId]);
  });

  it('may be several in one text, also as certificates, among other text', () => {
    const validity = { notBefore: new Date(0), notAfter: new Date(4e12) };
    const { certificatePem } = issueKeyPair({ commonName: 'x', ...validity });
    const parameters = '-----BEGIN EC PARAMETERS-----\nBgUrgQQAIg==\n-----END EC PARAMETERS-----\n';
    const broken = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
    const text = `${parameters}${broken}${pem(ec, 'sec1')}${certificatePem}${upstreamKeys[3].pem}`;
    expect(parseVerificationKeys(text).map(({ algorithm }) => algorithm)).toEqual(['ES384', 'ES256', 'RS256']);
    expect(parseSigningKey(`${parameters}${pem(ec, 'sec1')}`).algorithm).toBe('ES384');
  });

  it.each([
    ['no key', 'hello'],
    ['a public key', upstreamKeys[0].pem],
    [
      'a key of another algorithm',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
  ])('do not sign when there is %s', (_, text) => {
    expect(() => parseSigningKey(text)).toThrow(new Error('data does not contain a valid RSA or ECDSA private key'));
  });

  it('must be of a curve that JWTs support', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    expect(() => parseSigningKey(pem(other, 'sec1'))).toThrow('unknown private key curve, must be 256, 384, or 521');
    const publicPem = createPublicKey(other).export({ type: 'spki', format: 'pem' }).toString();
    expect(() => parseVerificationKeys(publicPem)).toThrow('data does not contain any valid RSA or ECDSA public keys');
  });

  it('are read from files, whose names are in errors', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'keys-'));
    try {
      const [a, b, bad] = ['a', 'b', 'bad'].map((name) => join(directory, name)) as [string, string, string];
      await Promise.all([writeFile(a, pem(ec, 'sec1')), writeFile(b, upstreamKeys[3].pem), writeFile(bad, 'x')]);
      expect((await loadSigningKey(a)).algorithm).toBe('ES384');
      expect((await loadVerificationKeys([a, b])).map(({ algorithm }) => algorithm)).toEqual(['ES384', 'RS256']);
      await expect(loadSigningKey(bad)).rejects.toThrow(
        `error reading private key file ${bad}: data does not contain a valid RSA or ECDSA private key`,
      );
      await expect(loadVerificationKeys([a, bad])).rejects.toThrow(
        `error reading public key file ${bad}: data does not contain any valid RSA or ECDSA public keys`,
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
