import type { ClusterDirectory } from './cluster-directory.ts';
import { leaveContext, removeContext } from './user-kubeconfig.ts';

/**
 * Does what a cluster's process does when it ends, in place of one that was killed: the context that was current before is current again, and
 * nothing is left of a cluster that was kept in memory. Only while no process has the directory. Harmless when nothing is to be done.
 */
export async function mend(directory: ClusterDirectory): Promise<void> {
  const [state, adminKubeconfig] = [await directory.state(), await directory.readAdminKubeconfig()];
  if (!state || adminKubeconfig === undefined) return;
  const entry = { name: state.context, adminKubeconfig };
  const location = { path: state.kubeconfig, env: {} };
  if (!state.memory) return await leaveContext(entry, location);
  await removeContext(entry, location);
  await directory.unwrite();
}
