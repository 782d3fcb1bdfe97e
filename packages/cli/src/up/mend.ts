import { type Environment, kubeConfigFiles } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory, ClusterState } from './cluster-directory.ts';
import { leaveContext, removeContext, type UserKubeconfig } from './user-kubeconfig.ts';

/**
 * Makes up for a killed process, by doing what a cluster's process does at its end: the previous context becomes current again, and nothing
 * remains of a cluster in memory. May only be called while no process uses the directory. Does nothing when nothing is to be done.
 */
export async function mend(directory: ClusterDirectory, env: Environment): Promise<void> {
  const [state, adminKubeconfig] = [await directory.readableState(), await directory.readAdminKubeconfig()];
  if (!state || adminKubeconfig === undefined) return;
  const entry = { name: state.context, adminKubeconfig };
  const location = writtenTo(state, env);
  if (!state.memory) return await leaveContext(entry, location);
  await removeContext(entry, location);
  await directory.unwrite();
}

/**
 * Returns the location of a cluster's context. When the file is one of those that kubectl reads, the contexts of the other files count too.
 */
export const writtenTo = ({ kubeconfig }: ClusterState, env: Environment): UserKubeconfig =>
  kubeConfigFiles({ env }).includes(kubeconfig) ? { env } : { path: kubeconfig, env };
