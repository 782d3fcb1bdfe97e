import type { Environment } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory } from './cluster-directory.ts';
import { mend } from './mend.ts';

const pollMs = 50;
/** A graceful stop takes a second or two. */
const patienceMs = 30_000;

/**
 * Stops the directory's cluster, and waits for its end. Returns its process id; undefined when none runs. In both cases it makes up for
 * what a killed process could not do.
 */
export async function down(directory: ClusterDirectory, env: Environment): Promise<number | undefined> {
  const pid = await end(directory);
  if (await directory.readableState()) await mendUnlessHeld(directory, env);
  return pid;
}

/** Sends SIGTERM to the directory's process, and waits for its end. Returns its id; undefined when there is none. */
export async function end(directory: ClusterDirectory): Promise<number | undefined> {
  const pid = await directory.holder();
  if (pid !== undefined) {
    // On Windows this ends it at once.
    process.kill(pid, 'SIGTERM');
    for (let waitedMs = 0; (await directory.holder()) === pid; waitedMs += pollMs) {
      if (waitedMs > patienceMs)
        throw new Error(`process ${pid} has not ended within ${patienceMs / 1000} s; kill -9 ${pid} ends it`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
  return pid;
}

/** When the directory is locked, the cluster was started again, which has done it already. */
async function mendUnlessHeld(directory: ClusterDirectory, env: Environment): Promise<void> {
  const lock = await directory.claim().catch(() => undefined);
  if (!lock) return;
  try {
    await mend(directory, env);
  } finally {
    await lock.release();
  }
}
