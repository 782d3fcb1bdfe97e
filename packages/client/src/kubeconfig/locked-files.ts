import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep, systemClock } from '../clock/index.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { errorCode, goFileError } from './files.ts';

export interface LockOptions {
  readonly clock?: Clock;
  /** How long to wait for others. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const retryMs = 50;

/**
 * Does something while nobody else who keeps to the same rule (kubectl, kind, …) touches the files: next to each of them
 * stands a file `.lock`. Folders are made as needed. Rejects when another holds one for too long.
 *
 * Differs from client-go: that does not wait at all.
 */
export async function withLockedFiles<T>(
  files: readonly string[],
  { clock = systemClock, lockTimeoutMs = 10_000, signal }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = clock.monotonic() + lockTimeoutMs;
  const held: string[] = [];
  try {
    // All take them in one order, so that no two wait for each other.
    for (const file of files.toSorted()) {
      await makeFolderOf(file);
      const lock = `${file}.lock`;
      while (!(await tryLock(lock, clock.monotonic() >= deadline))) await sleep(clock, retryMs, signal);
      held.push(lock);
    }
    return await work();
  } finally {
    for (const lock of held) await rm(lock, { force: true });
  }
}

async function makeFolderOf(file: string): Promise<void> {
  try {
    await makeDirectory(dirname(file), 0o755);
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? String(error.path) : dirname(file);
    throw goFileError('mkdir', path, error);
  }
}

async function tryLock(lock: string, isLast: boolean): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && !isLast) return false;
    throw goFileError('open', lock, error);
  }
}
