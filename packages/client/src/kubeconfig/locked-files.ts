import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { makeDirectory } from '../files/make-directory.ts';
import { FileLock } from './file-lock.ts';
import { goFileError } from './files.ts';
import { removeAbandonedFiles } from './temporary-file.ts';

export interface LockOptions {
  readonly clock?: Clock;
  /** How long to wait for others. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const retryMs = 50;

/**
 * Does something while nobody else who keeps to the same rule (kubectl, kind, …) touches the files: next to each of them
 * stands a file `.lock`. Folders are made as needed. Rejects when another holds one for too long. What processes left
 * behind that were killed meanwhile is taken away: their locks, and files that they had not put in place yet.
 *
 * Differs from client-go: that does not wait at all, and a lock that was left behind is there for ever.
 */
export async function withLockedFiles<T>(
  files: readonly string[],
  { clock = systemClock, lockTimeoutMs = 15_000, signal }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = clock.monotonic() + lockTimeoutMs;
  const held: FileLock[] = [];
  try {
    // All take them in one order, so that no two wait for each other.
    for (const file of files.toSorted()) {
      await makeFolderOf(file);
      const path = `${file}.lock`;
      for (;;) {
        const isLast = clock.monotonic() >= deadline;
        const lock = await FileLock.tryAcquire(path, clock.now()).catch((error: unknown) => {
          throw goFileError('open', path, error);
        });
        if (lock) {
          held.push(lock);
          break;
        }
        if (isLast) throw goFileError('open', path, lockIsHeld());
        await sleep(clock, retryMs, signal);
      }
      await removeAbandonedFiles(await realpath(file).catch(() => file), clock.now());
    }
    return await work();
  } finally {
    for (const lock of held) await lock.release();
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

const lockIsHeld = (): Error => Object.assign(new Error('the lock is held'), { code: 'EEXIST' });
