import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Temporary files exist for milliseconds. An older one is abandoned, even if a process with its pid exists. */
const abandonedAfterMs = 60_000;

/** The files that this process is writing. */
const ours = new Set<string>();

/**
 * Calls `write` with the path of a temporary file next to the target, whose name contains this process's pid. Removes
 * the file when `write` rejects. First removes files that killed processes left, because they may contain secrets.
 */
export async function withTemporaryFile(
  target: string,
  write: (temporary: string) => Promise<void>,
  now: () => number = Date.now,
): Promise<void> {
  await removeAbandonedFiles(target, now());
  const temporary = `${target}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  ours.add(temporary);
  try {
    await write(temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    ours.delete(temporary);
  }
}

/** Removes the temporary files of processes that were killed while writing. */
export async function removeAbandonedFiles(target: string, now: number): Promise<void> {
  const directory = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(directory).catch(() => [])) {
    // Older versions had no pid in the name.
    const match = /^(?:([0-9]+)\.)?[0-9a-f]{12}\.tmp$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '');
    const path = join(directory, name);
    if (match && !ours.has(path) && (await isAbandoned(path, match[1], now))) await rm(path, { force: true });
  }
}

async function isAbandoned(path: string, pid: string | undefined, now: number): Promise<boolean> {
  if (pid !== undefined && (Number(pid) === process.pid || !isThere(Number(pid)))) return true;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && now - found.mtimeMs > abandonedAfterMs;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
