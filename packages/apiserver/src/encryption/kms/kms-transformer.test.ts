import { randomUUID } from 'node:crypto';
import { silentLogger } from '@coxswain/apimachinery/log';
import { afterEach, describe, expect, it } from 'vitest';
import type { Decrypted } from '../transformer.ts';
import type { KmsService } from './kms-service.ts';
import { KmsTransformer } from './kms-transformer.ts';

/** Wraps keys by reversing them. The reported key ID, health and version can be set. */
class FakeKms implements KmsService {
  keyId = 'key-1';
  healthz = 'ok';
  version = 'v2';
  readonly calls: string[] = [];
  broken: Error | undefined;

  async status() {
    this.#called('status');
    return { version: this.version, healthz: this.healthz, keyId: this.keyId };
  }

  async encrypt(key: Uint8Array) {
    this.#called('encrypt');
    const annotations = [{ key: 'salt.example.com', value: Buffer.from('s') }];
    return { ciphertext: Uint8Array.from(key).reverse(), keyId: this.keyId, annotations };
  }

  async decrypt({ ciphertext }: { readonly ciphertext: Uint8Array }) {
    this.#called('decrypt');
    return Uint8Array.from(ciphertext).reverse();
  }

  close(): void {
    this.calls.push('close');
  }

  #called(name: string): void {
    this.calls.push(name);
    if (this.broken) throw this.broken;
  }
}

const place = '/registry/secrets/default/s';
const opened: KmsTransformer[] = [];
let clock = 0;

async function open(service: KmsService): Promise<KmsTransformer> {
  const transformer = new KmsTransformer({
    name: 'fake',
    service,
    now: () => new Date(clock),
    uuid: randomUUID,
    logger: silentLogger,
  });
  opened.push(transformer);
  await transformer.start();
  return transformer;
}

afterEach(() => {
  for (const transformer of opened.splice(0)) transformer.close();
});

const encrypt = (transformer: KmsTransformer, text: string): Uint8Array =>
  transformer.encrypt(Buffer.from(text), place) as Uint8Array;
const decrypt = async (transformer: KmsTransformer, stored: Uint8Array): Promise<[string, boolean]> => {
  const { value, stale }: Decrypted = await transformer.decrypt(stored, place);
  return [Buffer.from(value).toString(), stale];
};

describe('a KMS transformer', () => {
  it('calls the plug-in once for many values', async () => {
    const kms = new FakeKms();
    const transformer = await open(kms);
    for (const text of ['a', 'b', 'c'])
      expect(await decrypt(transformer, encrypt(transformer, text))).toEqual([text, false]);
    expect(kms.calls).toEqual(['status', 'encrypt']);
  });

  it('unwraps the seed of another server once', async () => {
    const kms = new FakeKms();
    const [one, other] = [await open(kms), await open(kms)];
    const stored = ['a', 'b'].map((text) => encrypt(one, text));
    kms.calls.length = 0;
    expect(await Promise.all(stored.map((value) => decrypt(other, value)))).toEqual([
      ['a', false],
      ['b', false],
    ]);
    expect(kms.calls).toEqual(['decrypt']);
    expect(other.decrypt(stored[0]!, place)).not.toBeInstanceOf(Promise);
  });

  it('still decrypts values of an earlier key, as stale, after a key rotation', async () => {
    const kms = new FakeKms();
    const transformer = await open(kms);
    const before = encrypt(transformer, 'a');
    kms.keyId = 'key-2';
    clock += 30_000;
    await transformer.check();
    expect(await decrypt(transformer, before)).toEqual(['a', true]);
    expect(await decrypt(transformer, encrypt(transformer, 'b'))).toEqual(['b', false]);
  });

  it('decrypts without the plug-in, and encrypts for three minutes', async () => {
    const kms = new FakeKms();
    const transformer = await open(kms);
    const before = encrypt(transformer, 'a');
    kms.broken = new Error('14 UNAVAILABLE: no connection');
    clock += 30_000;
    await expect(transformer.check()).rejects.toThrow(
      'kmsv2 Provider fake is not healthy, error: 14 UNAVAILABLE: no connection',
    );
    encrypt(transformer, 'b');
    clock += 180_000;
    expect(() => encrypt(transformer, 'c')).toThrow(/^encryptedDEKSource with keyID hash "sha256:\w+" expired at /);
    expect(await decrypt(transformer, before)).toEqual(['a', false]);
    kms.broken = undefined;
    await transformer.check();
    encrypt(transformer, 'd');
  });

  it.each([
    ['healthz', 'bad', 'got unexpected healthz status: bad'],
    ['version', 'v3', 'expected KMSv2 API version v2, got v3'],
    ['keyId', '', 'got invalid KMSv2 KeyID hash "": keyID is empty'],
    ['keyId', 'k'.repeat(1025), 'keyID is 1025 bytes, which exceeds the max size of 1024'],
  ] as const)('is not healthy with a %s of %j', async (field, value, message) => {
    const kms = new FakeKms();
    kms[field] = value;
    const transformer = await open(kms);
    await expect(transformer.check()).rejects.toThrow(message);
    expect(() => encrypt(transformer, 'a')).toThrow('got unexpected nil transformer');
  });

  it('decrypts what upstream stored', async () => {
    const stored =
      'CneWtgz6qXJ9AsqWg+uSZdgcFrxeemTCuS86uevTNFJOlR6o3xH6J+AQ9Mw8QL/MnM+J2QhiV76yJuPMGPTbpcZp9HruA90adcG4DXACYF4Tjtv3SCxYaDj7GpvBaOL1JF/UcujcKP04QBbkq/T4h1t9a7Xn5HNi4hIFa2V5LTEaB3dyYXBwZWQiEgoNYS5leGFtcGxlLmNvbRIBeCgB';
    const kms = new FakeKms();
    kms.decrypt = async () => Buffer.from('0123456789abcdef0123456789abcdef');
    const [text, stale] = await decrypt(await open(kms), Buffer.from(stored, 'base64'));
    expect([text, stale]).toEqual(['{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"}}', false]);
  });
});
