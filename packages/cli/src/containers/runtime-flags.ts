import { flag, string } from '@coxswain/component-base';
import type { Invocation } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { clusterFlags, clusterOf, commandFor } from '../up/cluster-flags.ts';

/** The flags that select a container runtime. */
export const runtimeFlags = {
  ...clusterFlags,
  endpoint: flag(string, 'Socket of a container runtime, such as that of cox runtime. Default: that of the cluster'),
};

/** Returns the socket of the selected runtime. Throws if the selected cluster does not run, or runs no containers. */
export async function endpointOf(invocation: Invocation<CoxContext>): Promise<string> {
  const { endpoint } = invocation.flags({ endpoint: runtimeFlags.endpoint });
  if (endpoint !== undefined) return endpoint;
  const { name, directory } = clusterOf(invocation);
  if ((await directory.holder()) === undefined)
    throw new Error(`no cluster runs in ${directory.path}; ${commandFor('up', name)} starts one`);
  const runtime = await directory.recordedRuntime();
  if (runtime === undefined) throw new Error(`the nodes of the cluster in ${directory.path} are hollow`);
  if (runtime !== 'containers') return runtime;
  const { ownRuntimeSocket } = await import('@coxswain/cluster');
  return ownRuntimeSocket(directory.runtimeState);
}
