import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { RestConfig } from '../config/rest-config.ts';
import { type Logger, silentLogger } from '../observe/index.ts';
import { TokenFileCredentials } from './credentials/token-file-credentials.ts';
import { readText } from './files.ts';
import type { Environment } from './kubeconfig-files.ts';
import { authorityFile } from './rest-config-for.ts';

export interface InClusterOptions {
  readonly env?: Environment;
  /** The directory of the service account's files; set only in tests. */
  readonly serviceAccountDir?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const defaultDir = '/var/run/secrets/kubernetes.io/serviceaccount';

/** This process does not run in a pod, or the pod has no service account. */
export class NotInClusterError extends Error {
  override readonly name = 'NotInClusterError';

  constructor() {
    super(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  }
}

/**
 * Returns the config with which a pod connects to its own cluster as its service account. The token is read again
 * before it expires. Rejects with a `NotInClusterError`, or with an Error when there is no token.
 */
export async function inClusterConfig(options: InClusterOptions = {}): Promise<RestConfig> {
  const { env = process.env, serviceAccountDir = defaultDir, clock, logger = silentLogger } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) throw new NotInClusterError();
  const common = { logger, ...(clock && { clock }) };
  const tokenFile = join(serviceAccountDir, 'token');
  await readText(tokenFile);
  const credentials = new TokenFileCredentials(tokenFile, common);
  const caFile = join(serviceAccountDir, 'ca.crt');
  const ca = await authorityFile(caFile, common).catch((error: unknown) => {
    // The system's CA certificates may suffice.
    logger.error('Expected to load root CA config', error, { path: caFile });
    return undefined;
  });
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ...(ca && { ca }) },
    credentials,
    namespace: await inClusterNamespace(options),
    ...(clock && { clock }),
  };
}

/** Whether the process runs in a pod with a service account. */
export async function isInCluster({
  env = process.env,
  serviceAccountDir = defaultDir,
}: InClusterOptions): Promise<boolean> {
  if (!env.KUBERNETES_SERVICE_HOST || !env.KUBERNETES_SERVICE_PORT) return false;
  try {
    return !(await stat(join(serviceAccountDir, 'token'))).isDirectory();
  } catch {
    return false;
  }
}

/** The pod's namespace. */
export async function inClusterNamespace({
  env = process.env,
  serviceAccountDir = defaultDir,
}: InClusterOptions): Promise<string> {
  if (env.POD_NAMESPACE) return env.POD_NAMESPACE;
  const text = await readFile(join(serviceAccountDir, 'namespace'), 'utf8').catch(() => '');
  return text.trim() || 'default';
}
