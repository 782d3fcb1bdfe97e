import { flag, string } from '@coxswain/component-base';
import type { Completer, Invocation } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { ClusterDirectory } from './cluster-directory.ts';
import { clusterName, defaultClusterName } from './cluster-name.ts';

/** The flags that select a cluster. */
export const clusterFlags = {
  name: flag(string, `Name of the cluster. Default: $COX_CLUSTER_NAME, or ${defaultClusterName}`),
  'data-dir': flag(
    string,
    'Directory of the cluster. Default: cluster in the data of this user (coxswain in $XDG_DATA_HOME or ~/.local/share; in %LOCALAPPDATA% on Windows), or clusters/NAME there',
  ),
};

/** Returns the selected cluster's name and directory. Throws for an invalid name. */
export function clusterOf(invocation: Invocation<CoxContext>): { name: string; directory: ClusterDirectory } {
  const { env } = invocation.context.process;
  const given = invocation.flags(clusterFlags);
  const name = clusterName(given.name, env);
  return { name, directory: new ClusterDirectory(given.dataDir ?? ClusterDirectory.pathOf(name, env)) };
}

/** Completes the names of existing clusters. */
export const clusterCompletions: Readonly<Record<string, Completer<CoxContext>>> = {
  name: async ({ context }) => ({ values: await ClusterDirectory.names(context.process.env) }),
  'data-dir': () => ({ values: [], directive: 16 }),
};

/** Returns a command line for the same cluster, such as `cox down --name dev`. */
export const commandFor = (command: string, name: string): string =>
  name === defaultClusterName ? `cox ${command}` : `cox ${command} --name ${name}`;
