import type { Environment } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory } from './cluster-directory.ts';
import { end } from './down.ts';
import { writtenTo } from './mend.ts';
import { removePods } from './node-runtime.ts';
import { recordedChoice } from './runtime-choice.ts';
import { removeContext } from './user-kubeconfig.ts';

/** Stops the cluster, deletes its data, and removes its context from the kubeconfig it was written to. */
export async function reset(directory: ClusterDirectory, env: Environment): Promise<void> {
  // Read before the end, because a cluster in memory deletes both.
  const [state, adminKubeconfig] = [await directory.state(), await directory.readAdminKubeconfig()];
  await end(directory);
  const lock = await directory.claim();
  try {
    await removeContainers(directory, await directory.recordedRuntime());
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

/** Ends the containers of a cluster that does not run. Resolves with false if it has none. */
export async function endContainers(directory: ClusterDirectory): Promise<boolean> {
  const record = await directory.recordedRuntime();
  if (record === undefined) return false;
  const lock = await directory.claim();
  try {
    await removeContainers(directory, record);
  } finally {
    await lock.release();
  }
  return true;
}

/** Real containers go on running when their cluster stops. */
async function removeContainers(directory: ClusterDirectory, record: string | undefined): Promise<void> {
  await removePods(directory, recordedChoice(record)).catch((cause: unknown) => {
    const problem = record === 'containers' ? '' : `: the container runtime at ${record} does not answer`;
    throw new Error(`the pods of ${directory.path} may still run${problem}`, { cause });
  });
}

const contextStays = ({ path }: ClusterDirectory, file: string, context: string): string =>
  `${path} was deleted, but the context ${context} may still be in a kubeconfig: ${file} could not be read or changed`;
