import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { AuthInfo, Cluster, KubeConfig } from './kubeconfig.ts';

const ofClusters = ['certificate-authority'] as const;
const ofUsers = ['client-certificate', 'client-key', 'tokenFile'] as const;

type ChangePath = (path: string) => string;

function clusterWith(cluster: Cluster, change: ChangePath): Cluster {
  return { ...cluster, ...changed(cluster, ofClusters, change) };
}

function userWith(user: AuthInfo, change: ChangePath): AuthInfo {
  const { exec } = user;
  return {
    ...user,
    ...changed(user, ofUsers, change),
    // A command without a separator is searched in PATH.
    ...(exec?.command?.includes(sep) && { exec: { ...exec, command: change(exec.command) } }),
  };
}

function changed<K extends string>(
  entry: { readonly [key in K]?: string },
  keys: readonly K[],
  change: ChangePath,
): { [key in K]?: string } {
  const result: { [key in K]?: string } = {};
  for (const key of keys) {
    const path = entry[key];
    if (path) result[key] = change(path);
  }
  return result;
}

/** Makes the paths in a kubeconfig absolute. They are relative to the directory of its file. */
export function resolvePaths(config: KubeConfig, file: string): void {
  const base = resolve(dirname(file));
  const absolute: ChangePath = (path) => (isAbsolute(path) ? path : join(base, path));
  for (const [name, cluster] of config.clusters) config.clusters.set(name, clusterWith(cluster, absolute));
  for (const [name, user] of config.users) config.users.set(name, userWith(user, absolute));
}

/** Returns the cluster with absolute paths made relative to the kubeconfig's directory, if they are in or below it. */
export function relativizeCluster(cluster: Cluster, file: string): Cluster {
  return clusterWith(cluster, relativeTo(file));
}

export function relativizeUser(user: AuthInfo, file: string): AuthInfo {
  return userWith(user, relativeTo(file));
}

function relativeTo(file: string): ChangePath {
  const base = resolve(dirname(file));
  return (path) => {
    if (!isAbsolute(path)) return path;
    const inside = relative(base, path);
    return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
  };
}
