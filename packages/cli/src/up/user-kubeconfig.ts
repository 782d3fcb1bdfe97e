import {
  defaultKubeConfigFile,
  type Environment,
  type KubeConfig,
  modifyKubeConfig,
  parseKubeConfig,
} from '@coxswain/client/kubeconfig';

/** As it is called in kubeconfigs: cluster, user and context alike. */
export const contextName = 'cox';

export interface UserKubeconfig {
  /** Exactly this file; otherwise those of `KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string | undefined;
  readonly env: Environment;
}

/** Throws what `addContext` would throw as things are; changes nothing. */
export async function checkContext(location: UserKubeconfig): Promise<void> {
  const file = await defaultKubeConfigFile(location);
  await modifyKubeConfig((config) => assertOurs(config, file), location);
}

/**
 * Lets kubectl find the cluster, and makes it the current one; the rest of the file stays. Returns the file. Throws when
 * somebody else's cluster has the name, which is not ours to take.
 */
export async function addContext(adminKubeconfig: string, location: UserKubeconfig): Promise<string> {
  const { cluster, user } = await administratorOf(adminKubeconfig);
  const file = await defaultKubeConfigFile(location);
  await modifyKubeConfig((config) => {
    assertOurs(config, file);
    config.clusters.set(contextName, cluster);
    config.users.set(contextName, user);
    const known = config.contexts.get(contextName);
    config.contexts.set(contextName, { ...known, cluster: contextName, user: contextName });
    config.currentContext = contextName;
  }, location);
  return file;
}

/** Takes that back. Harmless when it is not there, or when another of our clusters has the name by now. */
export async function removeContext(adminKubeconfig: string, location: UserKubeconfig): Promise<void> {
  const { cluster } = await administratorOf(adminKubeconfig);
  await modifyKubeConfig((config) => {
    // Each has an authority of its own.
    const authority = config.clusters.get(contextName)?.['certificate-authority-data'];
    if (authority === undefined || authority !== cluster['certificate-authority-data']) return;
    config.clusters.delete(contextName);
    config.users.delete(contextName);
    config.contexts.delete(contextName);
    if (config.currentContext === contextName) config.currentContext = '';
  }, location);
}

function assertOurs({ clusters }: KubeConfig, file: string): void {
  const { server } = clusters.get(contextName) ?? {};
  if (server !== undefined && !isHere(server))
    throw new Error(
      `${file} has a cluster ${contextName} already, at ${server}; choose another file with --kubeconfig`,
    );
}

async function administratorOf(kubeconfig: string) {
  const { clusters, users } = await parseKubeConfig(kubeconfig);
  const [[cluster], [user]] = [[...clusters.values()], [...users.values()]];
  if (!cluster || !user) throw new Error('the API server gave its administrator no kubeconfig');
  return { cluster, user };
}

const isHere = (server: string): boolean => /^https:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(server);
