import { messageOf } from '@coxswain/apimachinery/errors';
import type { Clock, Logger, RestConfig } from '@coxswain/client';
import {
  bootstrapClientCertificate,
  CertificateFileStore,
  hasValidClientCertificate,
  writeClientKubeConfig,
} from '@coxswain/client/certificates';
import { type AuthInfo, type KubeConfig, loadKubeConfig, restConfigFor } from '@coxswain/client/kubeconfig';
import { ClientCertificate } from './client-certificate.ts';

export interface ClientConnectionOptions {
  /** Path of the kubeconfig. It is written if the client certificate is requested with the bootstrap kubeconfig. */
  readonly kubeconfig: string;
  /** Path of the kubeconfig for the first request of a client certificate; empty for none. */
  readonly bootstrapKubeconfig: string;
  readonly certificateDirectory: string;
  readonly nodeName: string;
  /** Whether the client certificate is requested, and requested again before it expires, while the kubelet runs. */
  readonly rotate: boolean;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/** How a kubelet reaches its API server. */
export interface ClientConnection {
  readonly config: RestConfig;
  /** Undefined if the certificate is not rotated. */
  readonly certificate: ClientCertificate | undefined;
}

/**
 * Prepares the connection by the kubeconfig. If that has no valid client certificate and there is a bootstrap kubeconfig, a certificate is
 * requested: before this resolves, or with rotation by `ClientCertificate.run`. Rejects with upstream's messages.
 */
export async function clientConnection(
  options: ClientConnectionOptions,
  signal: AbortSignal,
): Promise<ClientConnection> {
  return options.rotate ? await rotatingConnection(options) : await fixedConnection(options, signal);
}

async function fixedConnection(options: ClientConnectionOptions, signal: AbortSignal): Promise<ClientConnection> {
  const { kubeconfig, bootstrapKubeconfig, certificateDirectory, nodeName, clock, logger } = options;
  if (bootstrapKubeconfig !== '') {
    await bootstrapClientCertificate({
      kubeconfigPath: kubeconfig,
      bootstrapPath: bootstrapKubeconfig,
      certificateDirectory,
      nodeName,
      signal,
      clock,
      logger,
    });
  }
  const config = await prefixed('invalid kubeconfig', async () =>
    restConfigFor(await loadKubeConfig({ path: kubeconfig }), { clock, logger }),
  );
  return { config, certificate: undefined };
}

async function rotatingConnection(options: ClientConnectionOptions): Promise<ClientConnection> {
  const { certificateDirectory, nodeName, clock, random, logger } = options;
  logger.info('Client rotation is on, will bootstrap in background');
  const { requesting, using } = await prepareKubeConfigs(options);
  const user = userOf(using);
  const store = new CertificateFileStore({
    name: 'kubelet-client',
    directory: certificateDirectory,
    ...(user['client-certificate'] && { certificateFile: user['client-certificate'] }),
    ...(user['client-key'] && { keyFile: user['client-key'] }),
    clock,
  });
  const certificate = await ClientCertificate.create({
    store,
    nodeName,
    bootstrap: inlinePair(user),
    requesting: await prefixed('invalid kubeconfig', () => restConfigFor(requesting, { clock, logger })),
    using: await restConfigFor(withoutCredentials(using), { clock, logger }),
    clock,
    random,
    logger,
  });
  return { config: certificate.config, certificate };
}

interface KubeConfigs {
  /** For requests of certificates as long as there is none. */
  readonly requesting: KubeConfig;
  /** For everything else. */
  readonly using: KubeConfig;
}

async function prepareKubeConfigs(options: ClientConnectionOptions): Promise<KubeConfigs> {
  const { kubeconfig, bootstrapKubeconfig, certificateDirectory, clock, logger } = options;
  if (bootstrapKubeconfig === '' || (await hasValidClientCertificate(kubeconfig, { clock, logger }))) {
    const config = await prefixed('unable to load kubeconfig', () => loadKubeConfig({ path: kubeconfig }));
    return { requesting: config, using: config };
  }
  const bootstrap = await prefixed('unable to load bootstrap kubeconfig', () =>
    loadKubeConfig({ path: bootstrapKubeconfig }),
  );
  const { currentPath } = new CertificateFileStore({ name: 'kubelet-client', directory: certificateDirectory, clock });
  await writeClientKubeConfig(kubeconfig, bootstrap, currentPath);
  return { requesting: bootstrap, using: await loadKubeConfig({ path: kubeconfig }) };
}

const userOf = (config: KubeConfig): AuthInfo =>
  config.users.get(config.contexts.get(config.currentContext)?.user ?? '') ?? {};

/** kubeadm gives a control plane's kubelet a certificate in the kubeconfig itself, which is replaced at once. */
function inlinePair(user: AuthInfo): { readonly certificate: string; readonly key: string } | undefined {
  const { 'client-certificate-data': certificate, 'client-key-data': key } = user;
  return certificate && key ? { certificate: decoded(certificate), key: decoded(key) } : undefined;
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString();

/** The credentials are those of the rotated certificate. Its file may not exist yet. */
const withoutCredentials = (config: KubeConfig): KubeConfig => ({
  ...config,
  users: new Map(Array.from(config.users.keys(), (name): [string, AuthInfo] => [name, {}])),
});

async function prefixed<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (cause) {
    throw new Error(`${what}: ${messageOf(cause)}`, { cause });
  }
}
