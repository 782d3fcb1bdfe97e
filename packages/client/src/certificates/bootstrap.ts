import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { RestConfig } from '../config/rest-config.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { readTextIfExists } from '../kubeconfig/files.ts';
import { formatKubeConfig } from '../kubeconfig/format-kubeconfig.ts';
import type { KubeConfig } from '../kubeconfig/kubeconfig.ts';
import { loadKubeConfig } from '../kubeconfig/load-kubeconfig.ts';
import { replaceFile } from '../kubeconfig/replace-file.ts';
import { restConfigFor } from '../kubeconfig/rest-config-for.ts';
import { type Logger, silentLogger } from '../observe/index.ts';
import { TransportError } from '../transport/transport.ts';
import { childSignal } from '../wait/index.ts';
import { expiries, readPrivateKey } from '../x509/pem-key-pair.ts';
import { CertificateFileStore } from './certificate-file-store.ts';
import { type CertificateTemplate, createCertificateRequest, exportKey, generateKey } from './certificate-request.ts';
import {
  type KeyUsage,
  requestCertificate,
  type SigningRequestClient,
  signingRequestClient,
  waitForCertificate,
} from './request-certificate.ts';

export interface BootstrapOptions {
  /** Path of the kubeconfig to write, which refers to the certificate. */
  readonly kubeconfigPath: string;
  /** The kubeconfig used to request the certificate, often with a bootstrap token that permits nothing else. */
  readonly bootstrapPath: string;
  /** Directory to store the certificate in. */
  readonly certificateDirectory: string;
  readonly nodeName: string;
  /**
   * Makes the client for CertificateSigningRequests from the bootstrap config. By default a RESTClient over its own
   * connection, closed at the end.
   */
  readonly client?: (config: RestConfig) => SigningRequestClient | Promise<SigningRequestClient>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const storeName = 'kubelet-client';
const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
const issueTimeoutMs = 3_600_000;
/** While the API server does not respond, the request is retried every `serverPeriodMs` for up to `serverTimeoutMs`. */
const serverTimeoutMs = 60_000;
const serverPeriodMs = 2000;

/**
 * Gets a node its first client certificate, as kubelets do: requests it with the bootstrap kubeconfig and writes a
 * kubeconfig that uses it. Does nothing when that kubeconfig exists and its certificate has not expired. When it is
 * aborted before the request was answered, the next run reuses the same CertificateSigningRequest.
 */
export async function bootstrapClientCertificate(options: BootstrapOptions): Promise<void> {
  const { kubeconfigPath, bootstrapPath, certificateDirectory, clock = systemClock, logger = silentLogger } = options;
  if (await hasValidClientCertificate(kubeconfigPath, { clock, logger })) return;
  const kubeConfig = await loadKubeConfig({ path: bootstrapPath }).catch((cause: unknown) => {
    throw new Error(`unable to load bootstrap kubeconfig: ${messageOf(cause)}`, { cause });
  });
  const config = await restConfigFor(kubeConfig, { clock, logger });
  const store = new CertificateFileStore({ name: storeName, directory: certificateDirectory, clock });
  const keyPath = join(certificateDirectory, `${storeName}.key.tmp`);
  const stored = await store.current().catch(() => undefined);
  const key = (stored && readPrivateKey(stored.key)) ?? (await loadOrGenerateKey(keyPath));
  const { signal, dispose } = childSignal({ parent: options.signal, timeoutMs: issueTimeoutMs, clock });
  try {
    const certificate = await withClient(config, options, (client) =>
      requestNodeCertificate(client, key, { ...options, clock, signal }),
    );
    await store.update(certificate, exportKey(key));
  } finally {
    dispose();
  }
  await rm(keyPath, { force: true });
  await writeClientKubeConfig(kubeconfigPath, kubeConfig, store.currentPath);
}

async function withClient<T>(
  config: RestConfig,
  { client }: BootstrapOptions,
  use: (client: SigningRequestClient) => Promise<T>,
): Promise<T> {
  if (client) return use(await client(config));
  const { RESTClient } = await import('../rest/rest-client.ts');
  const rest = RESTClient.forConfig(config);
  try {
    return await use(signingRequestClient(rest));
  } finally {
    await rest.close();
  }
}

/**
 * Returns whether a kubeconfig exists and has a client certificate that has not expired. Otherwise a node must request one with its
 * bootstrap kubeconfig.
 */
export async function hasValidClientCertificate(
  path: string,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<boolean> {
  if ((await readTextIfExists(path)) === undefined) return false;
  try {
    const config = await restConfigFor(await loadKubeConfig({ path }), { clock });
    const pem = (await config.credentials?.current())?.clientCertificate?.certificate ?? '';
    const ends = expiries(pem);
    if (ends.length > 0 && ends.every((end) => clock.now() <= end)) return true;
    logger.warn('Bootstrap client config has no client certificate, or one that has expired', { path });
  } catch (error) {
    logger.error('Unable to read existing bootstrap client config', error, { path });
  }
  return false;
}

/** The key is kept on disk until the certificate is stored, so that a later run can reuse a pending request. */
async function loadOrGenerateKey(path: string): Promise<KeyObject> {
  const found = readPrivateKey((await readTextIfExists(path)) ?? '');
  if (found) return found;
  const key = generateKey();
  await makeDirectory(dirname(path), 0o755);
  await replaceFile(path, exportKey(key));
  return key;
}

interface NodeRequest {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function requestNodeCertificate(
  client: SigningRequestClient,
  key: KeyObject,
  { nodeName, clock, signal }: NodeRequest,
): Promise<string> {
  const template: CertificateTemplate = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
  const usages: KeyUsage[] = ['digital signature', 'client auth'];
  if (key.asymmetricKeyType === 'rsa') usages.push('key encipherment');
  const request = createCertificateRequest(template, key);
  const name = requestName(createPublicKey(key), template, usages);
  const deadline = clock.monotonic() + serverTimeoutMs;
  for (;;) {
    try {
      const submitted = await requestCertificate(client, { request, key, signerName, usages, name, signal, clock });
      return await waitForCertificate(client, submitted, { signal, clock });
    } catch (error) {
      signal.throwIfAborted();
      // Without a response, the server may not be up yet: retry.
      const isAnswer = !(error instanceof Error && error.cause instanceof TransportError);
      if (isAnswer || clock.monotonic() >= deadline) throw error;
    }
    await sleep(clock, serverPeriodMs, signal);
  }
}

/**
 * The CertificateSigningRequest's name, a hash of public key, subject and usages. The algorithm is client-go's, so that
 * either implementation can reuse a request of the other.
 */
export function requestName(publicKey: KeyObject, template: CertificateTemplate, usages: readonly KeyUsage[]): string {
  const hash = createHash('sha512-256');
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  for (const part of [keyInfo, template.commonName, ...(template.organizations ?? []), ...usages])
    hash.update(`${Buffer.from(part).toString('base64url')}|`);
  return `node-csr-${hash.digest('base64url')}`;
}

/**
 * Writes a kubeconfig for the current cluster of another one, with the client certificate and key in the file `pemPath`.
 */
export async function writeClientKubeConfig(path: string, bootstrap: KubeConfig, pemPath: string): Promise<void> {
  const cluster = bootstrap.clusters.get(bootstrap.contexts.get(bootstrap.currentContext)?.cluster ?? '') ?? {};
  // Absolute, because a relative path in a kubeconfig is relative to the kubeconfig's directory.
  const pem = resolve(pemPath);
  const text = await formatKubeConfig({
    clusters: new Map([['default-cluster', cluster]]),
    users: new Map([['default-auth', { 'client-certificate': pem, 'client-key': pem }]]),
    contexts: new Map([
      ['default-context', { cluster: 'default-cluster', user: 'default-auth', namespace: 'default' }],
    ]),
    currentContext: 'default-context',
  });
  await makeDirectory(dirname(path), 0o755);
  await replaceFile(path, text);
}
