import type { AuthInfo, Cluster, Context, KubeConfig } from './kubeconfig.ts';

/** Values that take precedence over the files, usually from command line flags. */
export interface ConfigOverrides {
  /** The context to use instead of the current one. */
  readonly currentContext?: string | undefined;
  /** Names of cluster and user, and the namespace, instead of the context's. */
  readonly context?: Context;
  /** Defaults for values that neither a file nor `cluster` sets. */
  readonly clusterDefaults?: Cluster;
  readonly cluster?: Cluster;
  readonly user?: AuthInfo;
  readonly timeoutMs?: number;
}

/** The merged entries of one context. */
export interface ChosenContext {
  readonly context: Context;
  readonly clusterName: string;
  readonly cluster: Cluster;
  readonly userName: string;
  readonly user: AuthInfo;
  /** Neither the files nor the overrides define the cluster. */
  readonly hasNoCluster: boolean;
}

/**
 * Selects the context and merges the overrides into its entries. Throws an Error with clientcmd's message when an entry
 * that the overrides name does not exist.
 */
export function chooseContext(config: KubeConfig, overrides: ConfigOverrides): ChosenContext {
  const contextName = overrides.currentContext || config.currentContext;
  const found = config.contexts.get(contextName);
  // Checked in clientcmd's order, so that the first of several problems is the same.
  const userName = overrides.context?.user || found?.user || '';
  if (overrides.context?.user && !config.users.has(userName)) throw new Error(`auth info "${userName}" does not exist`);
  if (overrides.currentContext && !found) throw new Error(`context "${contextName}" does not exist`);
  const clusterName = overrides.context?.cluster || found?.cluster || '';
  if (overrides.context?.cluster && !config.clusters.has(clusterName))
    throw new Error(`cluster "${clusterName}" does not exist`);
  return {
    context: merged(found, overrides.context),
    clusterName,
    cluster: mergeCluster(config.clusters.get(clusterName), overrides),
    userName,
    user: mergeUser(config.users.get(userName), overrides.user),
    hasNoCluster: !config.clusters.has(clusterName) && isEmpty(overrides.cluster) && isEmpty(overrides.clusterDefaults),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function mergeCluster(found: Cluster | undefined, { cluster = {}, clusterDefaults }: ConfigOverrides): Cluster {
  const rest: Mutable<Cluster> = merged<Cluster>(clusterDefaults, found);
  // The ways to verify a server are mutually exclusive, so one override replaces all of them.
  if (
    cluster['insecure-skip-tls-verify'] ||
    cluster['certificate-authority'] ||
    cluster['certificate-authority-data']
  ) {
    delete rest['insecure-skip-tls-verify'];
    delete rest['certificate-authority'];
    delete rest['certificate-authority-data'];
  }
  // The TLS server name belongs to the overridden server.
  if (cluster.server) delete rest['tls-server-name'];
  return merged<Cluster>(rest, cluster);
}

/** An overriding certificate or key replaces both the file and the data. */
function mergeUser(found: AuthInfo | undefined, user: AuthInfo = {}): AuthInfo {
  const rest: Mutable<AuthInfo> = { ...found };
  if (user['client-key'] || user['client-key-data']) {
    delete rest['client-key'];
    delete rest['client-key-data'];
  }
  if (user['client-certificate'] || user['client-certificate-data']) {
    delete rest['client-certificate'];
    delete rest['client-certificate-data'];
  }
  return merged<AuthInfo>(rest, user);
}

/** Merges by field; later values take precedence unless they are empty or false. `as-user-extra` is merged by key. */
function merged<T extends object>(...parts: readonly (T | undefined)[]): T {
  const result = new Map<string, unknown>();
  for (const part of parts) {
    for (const [key, value] of Object.entries(part ?? {})) {
      if (!saysSomething(value)) continue;
      const before = result.get(key);
      result.set(key, key === 'as-user-extra' && isObject(before) && isObject(value) ? { ...before, ...value } : value);
    }
  }
  // Contains only fields of T, all of which are optional.
  return Object.fromEntries(result) as T;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const saysSomething = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

const isEmpty = (part: object = {}): boolean => !Object.values(part).some(saysSomething);
