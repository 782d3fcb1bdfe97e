import { readFile } from 'node:fs/promises';
import type { GroupResource } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Store } from '@coxswain/storage';
import type { HealthCheck } from '../health/index.ts';
import { EncryptingStore } from './encrypting-store.ts';
import {
  type EncryptedResources,
  type EncryptionKey,
  type EncryptionProvider,
  type KmsProvider,
  parseEncryptionConfiguration,
} from './encryption-configuration.ts';
import { openKmsService } from './kms/kms-service.ts';
import { KmsTransformer } from './kms/kms-transformer.ts';
import { aesCbc, aesGcm, identity, secretbox } from './local-transformers.ts';
import { type PrefixedTransformer, PrefixedTransformers } from './prefixed-transformers.ts';
import type { Transformer } from './transformer.ts';
import { parseGroupResource } from './validate-configuration.ts';

export interface EncryptionContext {
  readonly now: () => Date;
  readonly uuid: () => string;
  readonly logger: Logger;
}

/**
 * Reads the file of `--encryption-provider-config`. Throws an Error with upstream's message, which names the file and
 * never contains a secret.
 */
export async function loadEncryption(path: string, context: EncryptionContext): Promise<Encryption> {
  try {
    const text = await readFile(path, 'utf8').catch((cause) => {
      throw new Error(`error reading encryption provider configuration file ${JSON.stringify(path)}: ${cause.message}`);
    });
    if (text === '') throw new Error(`encryption provider configuration file ${JSON.stringify(path)} is empty`);
    return await newEncryption(parseEncryptionConfiguration(text), context);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`error while parsing file: ${why}`, { cause });
  }
}

/** Selects the encryption of each resource, and checks the health of the KMS plug-ins. Must be closed. */
export class Encryption {
  readonly #transformers: ReadonlyMap<string, Transformer>;
  readonly #kms: readonly KmsTransformer[];

  constructor(transformers: ReadonlyMap<string, Transformer>, kms: readonly KmsTransformer[]) {
    this.#transformers = transformers;
    this.#kms = kms;
  }

  /** The store for objects of a resource: `store` itself when the resource is not encrypted. */
  storeFor({ group, resource }: GroupResource, store: Store): Store {
    const all = this.#transformers;
    const transformer = all.get(`${resource}.${group}`) ?? all.get(`*.${group}`) ?? all.get('*.*');
    return transformer ? new EncryptingStore(store, transformer) : store;
  }

  /** One health check for all KMS plug-ins, as upstream has it for KMS v2. Undefined without plug-ins. */
  get healthCheck(): HealthCheck | undefined {
    if (this.#kms.length === 0) return undefined;
    return {
      name: 'kms-providers',
      check: async () => {
        const results = await Promise.allSettled(this.#kms.map((kms) => kms.check()));
        const problems = results.flatMap((result, index) =>
          result.status === 'rejected' ? [`kms-provider-${index}: ${result.reason?.message}`] : [],
        );
        if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
      },
    };
  }

  close(): void {
    for (const kms of this.#kms) kms.close();
  }
}

async function newEncryption(
  configuration: readonly EncryptedResources[],
  context: EncryptionContext,
): Promise<Encryption> {
  const kms: KmsTransformer[] = [];
  const open = async (provider: KmsProvider): Promise<KmsTransformer> => {
    if (provider.apiVersion === 'v1')
      throw new Error(
        'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
      );
    const service = await openKmsService(provider.endpoint, provider.timeoutMs);
    const transformer = new KmsTransformer({ ...context, name: provider.name, service });
    kms.push(transformer);
    await transformer.start();
    return transformer;
  };
  try {
    const byResource = new Map<string, PrefixedTransformer[]>();
    for (const { resources, providers } of configuration) {
      const transformers = await Promise.all(providers.map((provider) => transformerOf(provider, open)));
      for (const name of resources) {
        const { resource, group } = parseGroupResource(name);
        for (const mask of [`*.${group}`, '*.*'])
          if (byResource.has(mask))
            throw new Error(`resource ${JSON.stringify(name)} is masked by earlier rule ${JSON.stringify(mask)}`);
        const key = `${resource}.${group}`;
        byResource.set(key, [...(byResource.get(key) ?? []), ...transformers]);
      }
    }
    const all = [...byResource].map(
      ([name, list]) => [name, new PrefixedTransformers(list, 'no matching prefix found')] as const,
    );
    return new Encryption(new Map(all), kms);
  } catch (error) {
    for (const opened of kms) opened.close();
    throw error;
  }
}

async function transformerOf(
  provider: EncryptionProvider,
  open: (provider: KmsProvider) => Promise<KmsTransformer>,
): Promise<PrefixedTransformer> {
  const { aesgcm, aescbc, kms } = provider;
  if (aesgcm) return { prefix: 'k8s:enc:aesgcm:v1:', transformer: byKey('AES', aesgcm.keys, aesGcm) };
  if (aescbc) return { prefix: 'k8s:enc:aescbc:v1:', transformer: byKey('AES', aescbc.keys, aesCbc) };
  if (provider.secretbox)
    return { prefix: 'k8s:enc:secretbox:v1:', transformer: byKey('Secretbox', provider.secretbox.keys, secretbox) };
  if (kms) return { prefix: `k8s:enc:kms:v2:${kms.name}:`, transformer: await open(kms) };
  return { prefix: '', transformer: identity };
}

function byKey(
  algorithm: string,
  keys: readonly EncryptionKey[],
  transformer: (key: Uint8Array) => Transformer,
): Transformer {
  return new PrefixedTransformers(
    keys.map(({ name, secret }) => ({
      prefix: `${name}:`,
      transformer: transformer(Buffer.from(secret, 'base64')),
    })),
    `no matching key was found for the provided ${algorithm} transformer`,
  );
}
