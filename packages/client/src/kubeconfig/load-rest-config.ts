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
 * Finds the configuration for this process: from the file `path`, otherwise from those of `KUBECONFIG`, otherwise from
 * `~/.kube/config`, otherwise from the service account of the pod. An invalid configuration is an error; it does not
 * fall back to the next. Rejects with clientcmd's messages.
 *
 * @example
 * const config = await loadRestConfig({ overrides: { currentContext: 'staging' } });
 */
export async function loadRestConfig(options: LoadRestConfigOptions = {}): Promise<RestConfig> {
  const { path, env = process.env, homeDir } = options;
  const location: KubeConfigLocation = { path, env, ...(homeDir !== undefined && { homeDir }) };
  const config = await loadKubeConfig(options);
  // Differs from client-go: KUBERNETES_MASTER, which the message for an empty config suggests, does have an effect.
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

/** The files of `KUBECONFIG` that do not exist. */
async function missingFiles(env: Environment): Promise<string[]> {
  const missing: string[] = [];
  for (const file of env.KUBECONFIG ? kubeConfigFiles({ env }) : []) if (!(await exists(file))) missing.push(file);
  return missing;
}
