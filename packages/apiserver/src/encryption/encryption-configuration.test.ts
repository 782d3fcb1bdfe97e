import { describe, expect, it } from 'vitest';
import { parseEncryptionConfiguration } from './encryption-configuration.ts';

const secret = Buffer.alloc(32, 7).toString('base64');
const configuration = (resources: unknown): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources });
const of = (resources: string[], ...providers: object[]): unknown => [{ resources, providers }];
const key = (name: string, value: string): object => ({ keys: [{ name, secret: value }] });

it('is parsed with all of its providers', () => {
  const text = configuration(
    of(
      ['secrets', 'configmaps'],
      { secretbox: key('a', secret) },
      { kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///s' } },
      { identity: {} },
    ),
  );
  expect(parseEncryptionConfiguration(text)).toEqual([
    {
      resources: ['secrets', 'configmaps'],
      providers: [
        { secretbox: { keys: [{ name: 'a', secret }] } },
        { kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///s', timeoutMs: 3000 } },
        { identity: true },
      ],
    },
  ]);
});

/** Invalid configurations with upstream's error messages. */
const wrong: Record<string, [unknown, string]> = {
  'no resources': [[], 'resources: Required value: at least one resources is required'],
  'no providers': [
    of(['secrets']),
    'resources[0].providers: Required value: at least one resources[0].providers is required',
  ],
  'two providers in one': [
    of(['secrets'], { identity: {}, aesgcm: key('a', secret) }),
    'more than one provider specified in a single element, should split into different list elements',
  ],
  'an empty provider': [
    of(['secrets'], {}),
    'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
  ],
  'a key of a wrong length': [
    of(['secrets'], { aescbc: key('a', Buffer.alloc(17).toString('base64')) }),
    'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 17, expected one of [16 24 32]',
  ],
  'a secret that is not base64': [
    of(['secrets'], { aescbc: key('a', 'äöü') }),
    'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
  ],
  'a key without a name': [
    of(['secrets'], { aesgcm: key('', secret) }),
    'resources[0].providers[0].aesgcm.keys[0].name: Required value: name is a mandatory field for a key',
  ],
  'a resource in capitals': [
    of(['Secrets'], { identity: {} }),
    'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
  ],
  'a single star': [
    of(['*'], { identity: {} }),
    "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources",
  ],
  'a resource twice': [
    of(['secrets', 'secrets'], { identity: {} }),
    'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
  ],
  'a resource that a wildcard masks': [
    of(['secrets', '*.'], { identity: {} }),
    "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
  ],
  'a plug-in that is not at a Unix socket': [
    of(['secrets'], { kms: { apiVersion: 'v2', name: 'k', endpoint: 'http://x' } }),
    'unsupported scheme "http" for KMS provider, only unix is supported',
  ],
  'two plug-ins with one name': [
    of(
      ['secrets'],
      { kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///a' } },
      { kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///b' } },
    ),
    'duplicate KMS provider name k, names must be unique',
  ],
  'an unknown field': [
    of(['secrets'], { identity: {}, rot13: {} }),
    'strict decoding error: unknown field "resources[0].providers[0].rot13"',
  ],
};

describe('is refused', () => {
  it.each(Object.entries(wrong))('for %s', (_, [resources, message]) => {
    expect(() => parseEncryptionConfiguration(configuration(resources))).toThrow(message);
  });

  it('for another kind', () => {
    expect(() => parseEncryptionConfiguration('{"apiVersion":"v1","kind":"Secret"}')).toThrow(
      'no kind "Secret" is registered for version "v1" in scheme',
    );
  });
});
