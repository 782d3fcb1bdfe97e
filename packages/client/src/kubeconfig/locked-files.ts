import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { makeDirectory } from '../files/make-directory.ts';
import { FileLock } from './file-lock.ts';
import { goFileError } from './files.ts';
import { removeAbandonedFiles } from './temporary-file.ts';

export interface LockOptions {
  readonly clock?: Clock;
  /** How long to wait for a lock. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const retryMs = 50;

/**
 * Runs `work` while holding a lock file `<file>.lock` next to each file, as kubectl and kind do. Creates missing
 * directories. Rejects when a lock is held for too long by another process. Also removes the lock files and temporary
 * files of processes that were killed.
 *
 * Differs from client-go, which does not wait at all and never removes stale locks.
 */
export async function withLockedFiles<T>(
  files: readonly string[],
  { clock = systemClock, lockTimeoutMs = 15_000, signal }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = clock.monotonic() + lockTimeoutMs;
  const held: FileLock[] = [];
  try {
    // Locks are acquired in sorted order to avoid deadlocks.
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
