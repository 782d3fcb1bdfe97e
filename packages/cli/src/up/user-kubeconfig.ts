import { access } from 'node:fs/promises';
import {
  type AuthInfo,
  type Cluster,
  type Context,
  defaultKubeConfigFile,
  type Environment,
  type KubeConfig,
  modifyKubeConfig,
  parseKubeConfig,
} from '@coxswain/client/kubeconfig';

export interface UserKubeconfig {
  /** Only this file; when absent, those of `KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string | undefined;
  readonly env: Environment;
}

/** The entries of a cluster in a kubeconfig. */
export interface ClusterEntry {
  /** The name of cluster, user and context. */
  readonly name: string;
  /** The text of a kubeconfig with the cluster and its admin user. */
  readonly adminKubeconfig: string;
}

/** Throws the error that `addContext` would throw now. Changes nothing. */
export async function checkContext(name: string, location: UserKubeconfig): Promise<void> {
  const file = await defaultKubeConfigFile(location);
  await modifyKubeConfig((config) => assertOurs(config, name, file), location);
}

/**
 * Adds the cluster's context to the kubeconfig, and makes it the current one; the rest of the file stays. The previous context is recorded
 * in an extension, so that it can be restored even if this process is killed. Returns the file. Throws when a cluster of another owner has
 * the name.
 */
export async function addContext({ name, adminKubeconfig }: ClusterEntry, location: UserKubeconfig): Promise<string> {
  const { cluster, user } = await administratorOf(adminKubeconfig);
  const file = await defaultKubeConfigFile(location);
  await modifyKubeConfig((config) => {
    assertOurs(config, name, file);
    const known = config.contexts.get(name);
    // It is already current when an earlier process of the cluster was killed.
    const previous = config.currentContext === name ? previousOf(known) : config.currentContext;
    config.clusters.set(name, cluster);
    config.users.set(name, user);
    config.contexts.set(name, withPrevious({ ...known, cluster: name, user: name }, previous));
    config.currentContext = name;
  }, location);
  return file;
}

/**
 * Makes the previous context current again, if the cluster's context is current now; the context stays. Does nothing when another cluster
 * has the name now.
 */
export async function leaveContext(entry: ClusterEntry, location: UserKubeconfig): Promise<void> {
  if (await isGone(location)) return;
  const { cluster } = await administratorOf(entry.adminKubeconfig);
  await modifyKubeConfig((config) => void leave(config, entry.name, cluster), location);
}

/** Does the same as `leaveContext`, and removes cluster, user and context unless they were changed. */
export async function removeContext(entry: ClusterEntry, location: UserKubeconfig): Promise<void> {
  if (await isGone(location)) return;
  const { name } = entry;
  const { cluster, user } = await administratorOf(entry.adminKubeconfig);
  await modifyKubeConfig((config) => {
    if (!leave(config, name, cluster)) return;
    const context = config.contexts.get(name);
    if (context?.cluster === name && context.user === name) config.contexts.delete(name);
    if (hasSameCertificate(config.users.get(name), user)) config.users.delete(name);
    config.clusters.delete(name);
  }, location);
}

/** Returns whether the file was deleted: it is not created again just to remove something from it. */
const isGone = async ({ path }: UserKubeconfig): Promise<boolean> =>
  path !== undefined &&
  (await access(path).then(
    () => false,
    () => true,
  ));

/** Returns false when the cluster of that name is another one; nothing is changed then. */
function leave(config: KubeConfig, name: string, cluster: Cluster): boolean {
  const { contexts } = config;
  if (!isSameCluster(config.clusters.get(name), cluster)) return false;
  const previous = previousOf(contexts.get(name));
  // Clusters that were started after this one will restore the context from before this one.
  for (const [other, context] of contexts)
    if (other !== name && previousOf(context) === name) contexts.set(other, withPrevious(context, previous));
  if (config.currentContext === name)
    config.currentContext = previous !== name && contexts.has(previous) ? previous : '';
  const own = contexts.get(name);
  if (own) contexts.set(name, withPrevious(own, ''));
  return true;
}

/** Each cluster has its own CA and one address. */
const isSameCluster = (found: Cluster | undefined, own: Cluster): boolean =>
  found?.server === own.server &&
  found?.['certificate-authority-data'] !== undefined &&
  found['certificate-authority-data'] === own['certificate-authority-data'];

const hasSameCertificate = (found: AuthInfo | undefined, own: AuthInfo): boolean =>
  found?.['client-certificate-data'] === own['client-certificate-data'];

/** The extension that marks the contexts of this program, with the context that was current before. */
const extensionName = 'coxswain.dev/previous-context';

const isMarked = (context: Context | undefined): boolean =>
  context?.extensions?.some(({ name }) => name === extensionName) === true;

/** Returns the recorded previous context; empty when there was none. */
function previousOf(context: Context | undefined): string {
  const found = context?.extensions?.find(({ name }) => name === extensionName)?.extension;
  const isNamed = typeof found === 'object' && found !== null && 'name' in found;
  return isNamed && typeof found.name === 'string' ? found.name : '';
}

const withPrevious = ({ extensions = [], ...context }: Context, previous: string): Context => ({
  ...context,
  extensions: [
    ...extensions.filter(({ name }) => name !== extensionName),
    { name: extensionName, extension: { name: previous } },
  ],
});

function assertOurs({ clusters, contexts }: KubeConfig, name: string, file: string): void {
  const { server } = clusters.get(name) ?? {};
  if (server !== undefined && !isHere(server) && !isMarked(contexts.get(name)))
    throw new Error(`${file} has a cluster ${name} already, at ${server}; choose another file with --kubeconfig`);
}

async function administratorOf(kubeconfig: string) {
  const { clusters, users } = await parseKubeConfig(kubeconfig);
  const [[cluster], [user]] = [[...clusters.values()], [...users.values()]];
  if (!cluster || !user) throw new Error('the API server has no admin kubeconfig');
  return { cluster, user };
}

const isHere = (server: string): boolean => /^https:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(server);
