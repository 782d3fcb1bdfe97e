import { type Environment, kubeConfigFiles } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory, ClusterState } from './cluster-directory.ts';
import { leaveContext, removeContext, type UserKubeconfig } from './user-kubeconfig.ts';

/**
 * Does what a cluster's process does when it ends, in place of one that was killed: the context that was current before is current again, and
 * nothing is left of a cluster that was kept in memory. Only while no process has the directory. Harmless when nothing is to be done.
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

/** Where the context of a cluster is. Contexts of other files count where kubectl reads them together with that one. */
export const writtenTo = ({ kubeconfig }: ClusterState, env: Environment): UserKubeconfig =>
  kubeConfigFiles({ env }).includes(kubeconfig) ? { env } : { path: kubeconfig, env };
