import { readFile } from 'node:fs/promises';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type AuthInfo, type Cluster, loadKubeConfig } from '@coxswain/client/kubeconfig';
import type { WebhookCredentials } from './webhook-credentials.ts';

/** A cluster of a kubeconfig. */
interface KubeconfigCluster {
  readonly server: string;
  /** PEM. */
  readonly ca?: string;
  readonly insecure: boolean;
  readonly serverName?: string;
}

/** The parts of a kubeconfig that this server uses, with the contents of the files that it names. */
export interface Kubeconfig {
  readonly users: ReadonlyMap<string, WebhookCredentials>;
  /** The cluster of the current context. `currentUser` is the user of the current context. */
  readonly cluster?: KubeconfigCluster;
  readonly currentUser?: string;
}

/** Reads a kubeconfig. Throws an Error that names the file, with clientcmd's message for an invalid kubeconfig. */
export async function readKubeconfig(file: string): Promise<Kubeconfig> {
  const { clusters, users: entries, contexts, currentContext } = await loadKubeConfig({ path: file });
  const { cluster: clusterName = '', user: currentUser = '' } = contexts.get(currentContext) ?? {};
  const cluster = clusters.get(clusterName);
  try {
    const users = new Map<string, WebhookCredentials>();
    for (const [name, user] of entries) users.set(name, await credentialsOf(name, user));
    return { users, ...(cluster && { cluster: await clusterOf(cluster) }), ...(currentUser && { currentUser }) };
  } catch (cause) {
    throw new Error(`${file}: ${messageOf(cause)}`, { cause });
  }
}

async function clusterOf(cluster: Cluster): Promise<KubeconfigCluster> {
  const ca = await content(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const serverName = cluster['tls-server-name'];
  return {
    server: cluster.server ?? '',
    insecure: cluster['insecure-skip-tls-verify'] === true,
    ...(ca !== undefined && { ca }),
    ...(serverName && { serverName }),
  };
}

async function credentialsOf(name: string, user: AuthInfo): Promise<WebhookCredentials> {
  for (const unsupported of ['exec', 'auth-provider'] as const)
    if (user[unsupported]) throw new Error(`user ${name}: ${unsupported} is not supported here`);
  const token = user.token || (user.tokenFile && (await readFile(user.tokenFile, 'utf8')).trim());
  const cert = await content(user['client-certificate-data'], user['client-certificate']);
  const key = await content(user['client-key-data'], user['client-key']);
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`user ${name}: a client certificate needs its key, and a key its certificate`);
  const { username, password = '' } = user;
  return {
    ...(token && { token }),
    ...(username && { basic: { username, password } }),
    ...(cert !== undefined && key !== undefined && { clientCertificate: { cert, key } }),
  };
}

/** Inline data takes precedence over a file. */
async function content(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString();
  return file ? readFile(file, 'utf8') : undefined;
}
