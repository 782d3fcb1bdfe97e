import type { Environment } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory } from './cluster-directory.ts';
import { mend } from './mend.ts';

const pollMs = 50;
/** A cluster that stops in good order takes a second or two. */
const patienceMs = 30_000;

/**
 * Asks the directory's cluster to end, and waits until it has. Returns its process; undefined when none runs. Either way nothing is left
 * undone of what a process does that ends in good order.
 */
export async function down(directory: ClusterDirectory, env: Environment): Promise<number | undefined> {
  const pid = await end(directory);
  if (await directory.readableState()) await mendUnlessHeld(directory, env);
  return pid;
}

/** Asks the directory's process to end, and waits until it has. Returns it; undefined when there is none. */
export async function end(directory: ClusterDirectory): Promise<number | undefined> {
  const pid = await directory.holder();
  if (pid !== undefined) {
    // On Windows that ends it at once.
    process.kill(pid, 'SIGTERM');
    for (let waitedMs = 0; (await directory.holder()) === pid; waitedMs += pollMs) {
      if (waitedMs > patienceMs)
        throw new Error(`process ${pid} has not ended within ${patienceMs / 1000} s; kill -9 ${pid} ends it`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
  return pid;
}

/** Whoever has started the cluster again meanwhile has done it. */
async function mendUnlessHeld(directory: ClusterDirectory, env: Environment): Promise<void> {
  const lock = await directory.claim().catch(() => undefined);
  if (!lock) return;
  try {
    await mend(directory, env);
  } finally {
    await lock.release();
  }
}
