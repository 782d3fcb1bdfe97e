import type { RestConfig } from '../config/rest-config.ts';
import { type InClusterOptions, inClusterConfig, inClusterNamespace, isInCluster } from './in-cluster-config.ts';
import { InvalidConfigurationError, isEmptyConfig } from './invalid-configuration.ts';
import { type Environment, exists, type KubeConfigLocation, kubeConfigFiles } from './kubeconfig-files.ts';
import { loadKubeConfig } from './load-kubeconfig.ts';
import type { ConfigOverrides } from './overrides.ts';
import { type RestConfigForOptions, restConfigFor } from './rest-config-for.ts';
import { tokenCredentials } from './user-credentials.ts';

export interface LoadRestConfigOptions
  extends KubeConfigLocation,
    InClusterOptions,
    Omit<RestConfigForOptions, 'location' | 'defaultNamespace'> {}

/**
 * How to reach the cluster that this process is meant to talk to: by the file that `path` names, else by those of
 * `KUBECONFIG`, else by `~/.kube/config`, else by the service account of the pod. What is there but wrong is an error,
 * not a reason to look further. Rejects with clientcmd's messages.
 *
 * @example
 * const config = await loadRestConfig({ overrides: { currentContext: 'staging' } });
 */
export async function loadRestConfig(options: LoadRestConfigOptions = {}): Promise<RestConfig> {
  const { path, env = process.env, homeDir } = options;
  const location: KubeConfigLocation = { path, env, ...(homeDir !== undefined && { homeDir }) };
  const config = await loadKubeConfig(options);
  // Differs from client-go: the variable that the message for an empty config names does help.
  const clusterDefaults = { ...(env.KUBERNETES_MASTER && { server: env.KUBERNETES_MASTER }) };
  const overrides: ConfigOverrides = { clusterDefaults, ...options.overrides };
  const inCluster = await isInCluster(options);
  try {
    return await restConfigFor(config, {
      ...options,
      overrides,
      exec: { env, ...options.exec },
      location,
      ...(inCluster && { defaultNamespace: await inClusterNamespace(options) }),
    });
  } catch (error) {
    if (!isEmptyConfig(error)) throw error;
    if (!inCluster) throw InvalidConfigurationError.empty(path ? [] : await missingFiles(env));
  }
  const { user = {}, context, timeoutMs } = overrides;
  const credentials = await tokenCredentials(user, options);
  return {
    ...(await inClusterConfig(options)),
    ...(context?.namespace && { namespace: context.namespace }),
    ...(credentials && { credentials }),
    ...(timeoutMs && { timeoutMs }),
  };
}

/** Those that `KUBECONFIG` names and that are not there. */
async function missingFiles(env: Environment): Promise<string[]> {
  const missing: string[] = [];
  for (const file of env.KUBECONFIG ? kubeConfigFiles({ env }) : []) if (!(await exists(file))) missing.push(file);
  return missing;
}
