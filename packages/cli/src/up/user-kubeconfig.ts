import { type Environment, kubeConfigFiles, modifyKubeConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';

/** As it is called in kubeconfigs: cluster, user and context alike. */
export const contextName = 'cox';

export interface UserKubeconfig {
  /** Exactly this file; otherwise those of `KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string | undefined;
  readonly env: Environment;
}

/** Lets kubectl find the cluster, and makes it the current one; the rest of the file stays. Returns the file. */
export async function addContext(adminKubeconfig: string, { path, env }: UserKubeconfig): Promise<string> {
  const admin = await parseKubeConfig(adminKubeconfig);
  const [cluster] = admin.clusters.values();
  const [user] = admin.users.values();
  await modifyKubeConfig(
    (config) => {
      if (cluster) config.clusters.set(contextName, cluster);
      if (user) config.users.set(contextName, user);
      config.contexts.set(contextName, {
        ...config.contexts.get(contextName),
        cluster: contextName,
        user: contextName,
      });
      config.currentContext = contextName;
    },
    { path, env },
  );
  return kubeConfigFiles({ path, env })[0]!;
}

/** Takes that back. Harmless when it is not there. */
export async function removeContext({ path, env }: UserKubeconfig): Promise<void> {
  await modifyKubeConfig(
    (config) => {
      config.clusters.delete(contextName);
      config.users.delete(contextName);
      config.contexts.delete(contextName);
      if (config.currentContext === contextName) config.currentContext = '';
    },
    { path, env },
  );
}
