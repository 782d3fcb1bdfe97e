import type { ClusterDirectory } from './cluster-directory.ts';

const pollMs = 50;
/** A cluster that stops in good order takes a second or two. */
const patienceMs = 30_000;

/** Asks the directory's cluster to end, and waits until it has. Returns its process; undefined when none runs. */
export async function down(directory: ClusterDirectory): Promise<number | undefined> {
  const pid = await directory.holder();
  if (pid === undefined) return undefined;
  process.kill(pid, 'SIGTERM');
  for (let waitedMs = 0; (await directory.holder()) === pid; waitedMs += pollMs) {
    if (waitedMs > patienceMs)
      throw new Error(`process ${pid} has not ended within ${patienceMs / 1000} s; kill -9 ${pid} ends it`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return pid;
}
