import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';
import { hasCode } from '../files/index.ts';
import { readText, unlessMissing } from './cgroup-files.ts';

/** Names of the cgroups directly inside a directory; none if it does not exist. */
export async function childrenIn(directory: string): Promise<string[]> {
  const entries = (await unlessMissing(readdir(directory, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The processes of a cgroup directory and of all below it. */
export async function processesIn(directory: string): Promise<number[]> {
  const text = (await unlessMissing(readText(join(directory, 'cgroup.procs')))) ?? '';
  const own = text.split('\n').filter((line) => line !== '');
  const below: number[] = [];
  for (const child of await childrenIn(directory)) below.push(...(await processesIn(join(directory, child))));
  return [...own.map(Number), ...below];
}

const firstDelayMs = 1;
const tries = 10;

/**
 * Removes a cgroup directory and all below it. The kernel refuses as long as a process that was killed has not gone, so removal is
 * tried again with growing pauses, about a second in all.
 */
export async function removeTree(directory: string, clock: Clock, signal?: AbortSignal): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    for (const child of await childrenIn(directory)) await removeTree(join(directory, child), clock, signal);
    try {
      return await rmdir(directory);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return;
      if (!hasCode(error, 'EBUSY', 'ENOTEMPTY') || attempt === tries) throw error;
    }
    await sleep(clock, firstDelayMs * 2 ** attempt, { signal });
  }
}

/** Sends SIGKILL. Processes that have ended are left out, and so is this one. */
function killProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    // 0 stands for a process of another PID namespace.
    if (pid <= 1 || pid === process.pid) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  }
}

/** Kills until no process is left, at most a few times; those that cannot end yet are left to `removeTree`. */
export async function killTree(directories: readonly string[], clock: Clock, signal?: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const pids = new Set<number>();
    for (const directory of directories) for (const pid of await processesIn(directory)) pids.add(pid);
    if (pids.size === 0) return;
    killProcesses([...pids]);
    await sleep(clock, firstDelayMs * 2 ** attempt, { signal });
  }
}
