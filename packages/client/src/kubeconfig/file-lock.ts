import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { errorCode } from './files.ts';
import { type LockOwner, ownLock, parseLockOwner, stateOf } from './lock-owner.ts';

/**
 * Locks are held for milliseconds. A lock with an unknown owner, like those of kubectl, is abandoned when it is older
 * than this.
 */
const abandonedAfterMs = 10_000;

/** An existing lock file. */
interface FoundLock {
  readonly owner: LockOwner | undefined;
  /** Unique for each lock that ever existed at the path. */
  readonly identity: string;
  readonly modifiedAtMs: number;
}

/**
 * A lock file, as client-go, kubectl and kind use them. Ours contain their owner, so that locks of killed processes are
 * recognised and removed.
 */
export class FileLock {
  readonly #path: string;
  readonly #id: string;

  private constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
  }

  /**
   * Acquires the lock; returns undefined when another process holds it. Removes an abandoned lock. Rejects when the
   * file cannot be created.
   */
  static async tryAcquire(path: string, now: number): Promise<FileLock | undefined> {
    const lock = create(path);
    if (lock) return new FileLock(path, lock.id);
    const found = await find(path);
    if (found && !isAbandoned(found, now)) return undefined;
    if (found) await remove(path, found, now);
    const next = create(path);
    return next && new FileLock(path, next.id);
  }

  /** Removes the lock file if it is still ours; another process may have considered it abandoned and replaced it. */
  async release(): Promise<void> {
    const found = await find(this.#path);
    if (found?.owner?.id === this.#id) await rm(this.#path, { force: true });
  }
}

/**
 * Creates the lock file; returns undefined when it exists. Synchronous, to keep the time short in which it exists
 * without an owner.
 */
function create(path: string): LockOwner | undefined {
  const owner = ownLock();
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    writeSync(file, JSON.stringify(owner));
  } finally {
    closeSync(file);
  }
  return owner;
}

/** Returns undefined when the file does not exist. */
async function find(path: string): Promise<FoundLock | undefined> {
  try {
    const { ino, mtimeNs, mtimeMs } = await stat(path, { bigint: true });
    // kubectl's lock files are not readable.
    const text = await readFile(path, 'utf8').catch(() => '');
    return { owner: parseLockOwner(text), identity: identityOf(ino, mtimeNs, text), modifiedAtMs: Number(mtimeMs) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The identity of a lock file: a hash of its inode, modification time and content. */
export function identityOf(inode: bigint, modifiedAtNs: bigint, text: string): string {
  return createHash('sha256').update(`${inode} ${modifiedAtNs} ${text}`).digest('hex').slice(0, 16);
}

function isAbandoned({ owner, modifiedAtMs }: FoundLock, now: number): boolean {
  const state = owner ? stateOf(owner) : 'unknown';
  return state === 'dead' || (state === 'unknown' && now - modifiedAtMs > abandonedAfterMs);
}

/**
 * Removes an abandoned lock. Only one process may do that, or a slow one would remove the next lock. So the removal is
 * guarded by a lock itself, named after the identity of the abandoned one. That lock may be abandoned, too.
 */
async function remove(path: string, { identity }: FoundLock, now: number): Promise<void> {
  const rightPath = `${path}.${identity}`;
  const right = await FileLock.tryAcquire(rightPath, now);
  if (!right) return;
  try {
    // A previous holder of the guard may have removed it already.
    if ((await find(path))?.identity === identity) await rm(path, { force: true });
  } finally {
    await right.release();
  }
}
