import type { ClusterDirectory } from './cluster-directory.ts';

const pollMs = 50;
/** A cluster that stops in good order takes a second or two. */
const patienceMs = 30_000;

/** Asks the directory's cluster to end, and waits until it has. Returns its process; undefined when none runs. */
export async function down(directory: ClusterDirectory): Promise<number | undefined> {
  const running = await directory.running();
  if (!running) return undefined;
  process.kill(running.pid, 'SIGTERM');
  for (let waitedMs = 0; await directory.running(); waitedMs += pollMs) {
    if (waitedMs > patienceMs) {
      throw new Error(
        `process ${running.pid} has not ended within ${patienceMs / 1000} s; kill -9 ${running.pid} ends it`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return running.pid;
}
