import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Such a file is there for milliseconds. One that is older is abandoned, also when there is a process of that number. */
const abandonedAfterMs = 60_000;

/** Those that are being written by this process. */
const ours = new Set<string>();

/**
 * Writes what will be put in the place of a file, beside it, under a name that says which process does. It is gone when
 * `write` rejects; what a process left behind that was killed here is taken away first: it may hold secrets.
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

/** Takes away what processes left behind that were killed while they wrote the file anew. */
export async function removeAbandonedFiles(target: string, now: number): Promise<void> {
  const directory = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(directory).catch(() => [])) {
    // Older versions gave no number.
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
