import type { Environment } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory } from './cluster-directory.ts';
import { end } from './down.ts';
import { writtenTo } from './mend.ts';
import { removeContext } from './user-kubeconfig.ts';

/** Stops the cluster, deletes its data, and removes its context from the kubeconfig it was written to. */
export async function reset(directory: ClusterDirectory, env: Environment): Promise<void> {
  // Read before the end, because a cluster in memory deletes both.
  const [state, adminKubeconfig] = [await directory.state(), await directory.readAdminKubeconfig()];
  await end(directory);
  const lock = await directory.claim();
  try {
    if (state && state !== 'damaged' && state.runtime !== undefined) await removePods(directory, state.runtime);
    await directory.clear();
  } finally {
    await lock.release();
  }
  if (!state || adminKubeconfig === undefined) return;
  if (state === 'damaged') throw new Error(contextStays(directory, directory.stateFile, 'of the cluster'));
  await removeContext({ name: state.context, adminKubeconfig }, writtenTo(state, env)).catch((cause: unknown) => {
    throw new Error(contextStays(directory, state.kubeconfig, state.context), { cause });
  });
}

/** Real containers go on running when their cluster stops. */
async function removePods({ owner, node, path }: ClusterDirectory, endpoint: string): Promise<void> {
  const { removeRealNode } = await import('@coxswain/cluster');
  try {
    await removeRealNode({ runtime: endpoint, owner, directory: node });
  } catch (cause) {
    throw new Error(`the pods of ${path} may still run: the container runtime at ${endpoint} does not answer`, {
      cause,
    });
  }
}

const contextStays = ({ path }: ClusterDirectory, file: string, context: string): string =>
  `${path} was deleted, but the context ${context} may still be in a kubeconfig: ${file} could not be read or changed`;
