import { durationToMs } from '@coxswain/apimachinery';
import { type ObjectReader, readConfiguration } from '../configuration/object-reader.ts';
import { validateEncryptionConfiguration } from './validate-configuration.ts';

/** A named key. The name is stored with the values that the key encrypts. */
export interface EncryptionKey {
  readonly name: string;
  /** In base64. */
  readonly secret: string;
}

export interface KmsProvider {
  readonly apiVersion: string;
  readonly name: string;
  readonly cachesize?: number;
  readonly endpoint: string;
  readonly timeoutMs: number;
}

/** Exactly one field is set in a validated configuration. */
export interface EncryptionProvider {
  readonly aesgcm?: { readonly keys: readonly EncryptionKey[] };
  readonly aescbc?: { readonly keys: readonly EncryptionKey[] };
  readonly secretbox?: { readonly keys: readonly EncryptionKey[] };
  readonly identity?: true;
  readonly kms?: KmsProvider;
}

/** Resources (`secrets`, `*.apps`, `*.*`) that are written with the first provider, and read with any of them. */
export interface EncryptedResources {
  readonly resources: readonly string[];
  readonly providers: readonly EncryptionProvider[];
}

/**
 * Parses and validates an EncryptionConfiguration of apiserver.config.k8s.io/v1, in YAML or JSON. Throws an Error with
 * upstream's message, which never contains a secret.
 */
export function parseEncryptionConfiguration(text: string): EncryptedResources[] {
  const document = readConfiguration(text);
  const { apiVersion, kind } = document.raw;
  if (apiVersion !== 'apiserver.config.k8s.io/v1' || kind !== 'EncryptionConfiguration')
    throw new Error(
      `no kind ${JSON.stringify(kind ?? '')} is registered for version ${JSON.stringify(apiVersion ?? '')} in scheme`,
    );
  const resources = document.objects('resources').map((entry) => ({
    resources: entry.strings('resources'),
    providers: entry.objects('providers').map(readProvider),
  }));
  document.ignore('apiVersion', 'kind');
  const { unknown } = document;
  if (unknown.length > 0)
    throw new Error(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`);
  validateEncryptionConfiguration(resources);
  return resources;
}

function readProvider(provider: ObjectReader): EncryptionProvider {
  const keys = (key: string) =>
    provider
      .object(key)
      ?.objects('keys')
      .map((entry) => ({
        name: entry.string('name') ?? '',
        secret: entry.string('secret') ?? '',
      }));
  const kms = provider.object('kms');
  const [aesgcm, aescbc, secretbox] = [keys('aesgcm'), keys('aescbc'), keys('secretbox')];
  return {
    ...(aesgcm && { aesgcm: { keys: aesgcm } }),
    ...(aescbc && { aescbc: { keys: aescbc } }),
    ...(secretbox && { secretbox: { keys: secretbox } }),
    ...(provider.object('identity') && { identity: true as const }),
    ...(kms && { kms: readKms(kms) }),
  };
}

function readKms(kms: ObjectReader): KmsProvider {
  const cachesize = kms.integer('cachesize');
  return {
    apiVersion: kms.string('apiVersion') || 'v1',
    name: kms.string('name') ?? '',
    ...(cachesize !== undefined && { cachesize }),
    endpoint: kms.string('endpoint') ?? '',
    timeoutMs: durationToMs(kms.string('timeout') ?? '3s'),
  };
}
