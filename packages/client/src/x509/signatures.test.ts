import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { portableSignatures } from '@coxswain/apimachinery/signatures';
import {
  type HashName,
  type PublicKey,
  parsePkixPublicKey,
  type SignatureVerifier,
  type Signed,
  type VerifyingKey,
} from '@coxswain/apimachinery/x509';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeSignatures } from './node-signatures.ts';

const keyOf = (key: KeyObject): PublicKey => parsePkixPublicKey(key.export({ type: 'spki', format: 'der' }));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const message = bytes('what is signed');
const another = bytes('another');
const hashes: readonly HashName[] = ['SHA1', 'SHA256', 'SHA384', 'SHA512'];

function signedWith(
  key: VerifyingKey,
  signature: Uint8Array,
  hash: HashName = 'SHA256',
  signedMessage: Uint8Array = message,
): Signed {
  const parts = { message: signedMessage, signature };
  if (key.type === 'RSA') return { scheme: 'RSA-PKCS1', key, hash, ...parts };
  return key.type === 'ECDSA' ? { scheme: 'ECDSA', key, hash, ...parts } : { scheme: 'Ed25519', key, ...parts };
}

const verifiers: readonly { readonly name: string; readonly verifier: SignatureVerifier }[] = [
  { name: 'Node', verifier: nodeSignatures },
  { name: 'a browser', verifier: portableSignatures },
];

describe.each(verifiers)('signatures, checked by $name', ({ name, verifier }) => {
  const { verify, isOnCurve } = verifier;
  const elliptic = name === 'Node' ? ['P-224', 'P-256', 'P-384', 'P-521'] : ['P-256', 'P-384', 'P-521'];

  describe.each(elliptic)('of a key of %s', (namedCurve) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    const key = keyOf(publicKey);
    if (key.type !== 'ECDSA') throw new Error('not an elliptic key');

    it.each(hashes)('are valid only for their own message: %s', (hash) => {
      const signature = new Uint8Array(sign(hash, message, privateKey));
      expect(verify(signedWith(key, signature, hash))).toBe(true);
      expect(verify(signedWith(key, signature, hash, another))).toBe(false);
      expect(verify(signedWith(key, signature, hash === 'SHA1' ? 'SHA256' : 'SHA1'))).toBe(false);
    });

    it('must be strict DER', () => {
      const signature = new Uint8Array(sign('SHA256', message, privateKey));
      const raw = new Uint8Array(sign('SHA256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' }));
      const zeros = Uint8Array.of(0x30, 6, 2, 1, 0, 2, 1, 0);
      const forms = [new Uint8Array(), raw, zeros, signature.subarray(1), signature.subarray(0, -1)];
      forms.push(Uint8Array.of(...signature, 0), signature.with(-1, signature.at(-1)! ^ 1));
      for (const form of forms) expect(verify(signedWith(key, form))).toBe(false);
    });

    it('need a key that is a point of the curve', () => {
      expect(isOnCurve(key)).toBe(true);
      expect(isOnCurve({ ...key, point: key.point.with(-1, key.point.at(-1)! ^ 1) })).toBe(false);
      expect(isOnCurve({ ...key, point: key.point.slice().fill(0xff, 1) })).toBe(false);
    });
  });

  describe('of an Ed25519 key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = keyOf(publicKey);
    if (key.type !== 'Ed25519') throw new Error('not an Ed25519 key');

    it('are valid only for their own message', () => {
      const signature = new Uint8Array(sign(null, message, privateKey));
      expect(verify(signedWith(key, signature))).toBe(true);
      expect(verify(signedWith(key, signature, undefined, another))).toBe(false);
      for (const form of [signature.with(0, signature[0]! ^ 1), signature.subarray(1), new Uint8Array(64)])
        expect(verify(signedWith(key, form))).toBe(false);
    });

    it('are not malleable by adding the order of the group', () => {
      const signature = sign(null, message, privateKey);
      const order = 2n ** 252n + 27742317777372353535851937790883648493n;
      let s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
      for (let i = 32; i < 64; i++, s >>= 8n) signature[i] = Number(s & 0xffn);
      expect(verify(signedWith(key, new Uint8Array(signature)))).toBe(false);
    });
  });

  it('are invalid when the key or the signature is random, without an exception', () => {
    const curve = fc.constantFrom('P-256' as const, 'P-384' as const, 'P-521' as const);
    const key = fc.oneof(
      fc.record({ type: fc.constant('ECDSA' as const), curve, point: fc.uint8Array({ maxLength: 140 }) }),
      fc.record({ type: fc.constant('Ed25519' as const), bytes: fc.uint8Array({ maxLength: 40 }) }),
    );
    fc.assert(
      fc.property(key, fc.uint8Array({ maxLength: 80 }), (nonsense, signature) => {
        expect(verify(signedWith(nonsense, signature))).toBe(false);
        if (nonsense.type === 'ECDSA') expect(isOnCurve(nonsense)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe('signatures of an RSA key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1025 });
  const key = keyOf(publicKey);
  if (key.type !== 'RSA') throw new Error('not an RSA key');
  const { verify } = nodeSignatures;

  it.each(hashes)('are valid only for their own message: %s', (hash) => {
    const signature = new Uint8Array(sign(hash, message, privateKey));
    expect(verify(signedWith(key, signature, hash))).toBe(true);
    expect(verify(signedWith(key, signature, hash, another))).toBe(false);
    expect(verify(signedWith(key, signature, hash === 'SHA1' ? 'SHA256' : 'SHA1'))).toBe(false);
    expect(verify(signedWith(key, signature.subarray(1), hash))).toBe(false);
  });

  it('may be probabilistic', () => {
    const options = { key: privateKey, padding: 6 /* RSA_PKCS1_PSS_PADDING */, saltLength: 32 };
    const signature = new Uint8Array(sign('SHA256', message, options));
    const signed = { scheme: 'RSA-PSS', key, hash: 'SHA256', message, signature } as const;
    expect(verify(signed)).toBe(true);
    expect(verify({ ...signed, saltLength: 32 })).toBe(true);
    expect(verify({ ...signed, saltLength: 20 })).toBe(false);
    expect(verify({ ...signed, message: another })).toBe(false);
    expect(verify(signedWith(key, signature))).toBe(false);
  });

  it('a browser can verify neither them nor those of P-224', () => {
    const elliptic = keyOf(generateKeyPairSync('ec', { namedCurve: 'P-224' }).publicKey);
    if (elliptic.type !== 'ECDSA') throw new Error('not an elliptic key');
    const signature = new Uint8Array(128);
    expect(portableSignatures.verify(signedWith(key, signature))).toBeUndefined();
    expect(portableSignatures.verify(signedWith(elliptic, signature))).toBeUndefined();
    expect(portableSignatures.isOnCurve(elliptic)).toBeUndefined();
  });
});
