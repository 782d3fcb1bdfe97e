import { describe, expect, it } from 'vitest';
import { aesCbc, aesGcm, identity, secretbox, seededAesGcm } from './local-transformers.ts';
import type { Decrypted, Transformer } from './transformer.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef');
const place = '/registry/secrets/default/s';
const plain = '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"}}';
const open = (transformer: Transformer, stored: Uint8Array, at = place): string =>
  Buffer.from((transformer.decrypt(stored, at) as Decrypted).value).toString();

/** The text above, as encrypted by upstream's transformers. */
const upstream: Record<string, [Transformer, string]> = {
  'AES-GCM with 16 bytes': [
    aesGcm(key.subarray(0, 16)),
    'f+2hgl0VG0FSIED9IjncWxwv6HbMQWdTSq2BNc1eEk4CfrZj4sMlEedjJ9q6nWHDTanVdyraUqmWcpUHvrzCecQvdyDo/byrZDZQldiHMd4cv5XHNQ06',
  ],
  'AES-GCM with 32 bytes': [
    aesGcm(key),
    'what70yZktUhaGAAn72IYF5Ylev9Y/DNN5eJt/W5dUAwR2NOIx9yQHtfGQK0GS8k+IqEAX66IUAoJRYgNAU2nN/DxBr1rIXWQjoK1190GUVK79q/9om7',
  ],
  'AES-CBC with 24 bytes': [
    aesCbc(key.subarray(0, 24)),
    'KZzYPSmEztdpwDeQuyGSFH/Vf+MQhiMHSGaqLbNw8hkE2G945/0nTFUDB6E3BmA0b7q45X5Wq6hDhmHVtsJehtvPyQy0SuPK/U7iNSj51/A=',
  ],
  secretbox: [
    secretbox(key),
    'r/Poqkw0oiiiZZlNQXO+ROCFaXWVSg6QLLesXOHhZaHJ4V03xecWpuvg0yfxG7x+ksQW6xrS0D+p/3kmJMgwLm4gBVifxgISiJuWWcWact/Obu2li0d0gdRW1Ia7OaVc09k7',
  ],
  'AES-GCM with a seed': [
    seededAesGcm(key),
    'lrYM+qlyfQLKloPrkmXYHBa8XnpkwrkvOrnr0zRSTpUeqN8R+ifgEPTMPEC/zJzPidkIYle+sibjzBj026XGafR67gPdGnXBuA1wAmBeE47b90gsWGg4+xqbwWji9SRf1HLo3Cj9OEAW5Kv0+IdbfWu15+RzYuI=',
  ],
};

describe.each(Object.entries(upstream))('%s', (_, [transformer, stored]) => {
  it('decrypts what upstream encrypted', () => expect(open(transformer, Buffer.from(stored, 'base64'))).toBe(plain));

  it('decrypts what it encrypted, which differs every time', () => {
    const [one, other] = [0, 1].map(() => transformer.encrypt(Buffer.from(plain), place) as Uint8Array);
    expect(open(transformer, one!)).toBe(plain);
    expect(Buffer.compare(one!, other!)).not.toBe(0);
    expect(Buffer.from(one!).includes('Secret')).toBe(false);
  });

  it('throws for data that is too short', () => {
    expect(() => transformer.decrypt(Buffer.from('x'), place)).toThrow(
      'the stored data was shorter than the required size',
    );
  });
});

it.each([
  ['AES-GCM', aesGcm(key)],
  ['AES-GCM with a seed', seededAesGcm(key)],
] as const)('%s throws for data that was changed, or moved to another key', (_, transformer) => {
  const stored = Buffer.from(transformer.encrypt(Buffer.from(plain), place) as Uint8Array);
  expect(() => open(transformer, stored, '/registry/secrets/default/other')).toThrow(
    'cipher: message authentication failed',
  );
  stored[stored.length - 20]! ^= 1;
  expect(() => open(transformer, stored)).toThrow('cipher: message authentication failed');
});

it('secretbox throws for data that was changed', () => {
  const stored = Buffer.from(secretbox(key).encrypt(Buffer.from(plain), place) as Uint8Array);
  stored[stored.length - 1]! ^= 1;
  expect(() => open(secretbox(key), stored)).toThrow('output array was not large enough for encryption');
});

it('identity does not change a value, and throws for encrypted data', () => {
  expect(open(identity, Buffer.from(plain))).toBe(plain);
  expect(() => identity.decrypt(Buffer.from('k8s:enc:aesgcm:v1:key1:x'), place)).toThrow(
    'identity transformer tried to read encrypted data',
  );
});
