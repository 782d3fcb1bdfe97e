/**
 * Kubeconfig files and in-cluster configuration, with clientcmd's semantics. Needs Node. The rest of this package takes
 * the `RestConfig` that these functions return.
 *
 * Where to start: `loadRestConfig`.
 */
export type { ExecOptions } from './credentials/exec-credentials.ts';
export { formatKubeConfig } from './format-kubeconfig.ts';
export { type InClusterOptions, inClusterConfig, NotInClusterError } from './in-cluster-config.ts';
export { InvalidConfigurationError, isEmptyConfig } from './invalid-configuration.ts';
export {
  type AuthInfo,
  type AuthProviderConfig,
  type Cluster,
  type Context,
  type ExecConfig,
  type ExecEnvVar,
  type KubeConfig,
  type NamedExtension,
  newKubeConfig,
} from './kubeconfig.ts';
export {
  defaultKubeConfigFile,
  type Environment,
  type KubeConfigLocation,
  kubeConfigFiles,
} from './kubeconfig-files.ts';
export { type LoadKubeConfigOptions, loadKubeConfig } from './load-kubeconfig.ts';
export { type LoadRestConfigOptions, loadRestConfig } from './load-rest-config.ts';
export { type ModifyKubeConfigOptions, modifyKubeConfig } from './modify-kubeconfig.ts';
export type { ConfigOverrides } from './overrides.ts';
export { parseKubeConfig } from './parse-kubeconfig.ts';
export { type RestConfigForOptions, restConfigFor } from './rest-config-for.ts';
export { withTemporaryFile } from './temporary-file.ts';
