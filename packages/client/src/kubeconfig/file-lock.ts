import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { errorCode } from './files.ts';
import { type LockOwner, ownLock, parseLockOwner, stateOf } from './lock-owner.ts';

/** Locks are held for milliseconds. One of which nobody can tell whose it is, as those of kubectl, is abandoned when it is older. */
const abandonedAfterMs = 10_000;

/** What was found at the path of a lock. */
interface FoundLock {
  readonly owner: LockOwner | undefined;
  /** Another for each lock that ever was at the path. */
  readonly identity: string;
  readonly modifiedAtMs: number;
}

/**
 * A file that is there as long as somebody does something: client-go's way, which kubectl and kind keep to. Ours say who
 * made them, so that those of a process that was killed are recognised and taken away.
 */
export class FileLock {
  readonly #path: string;
  readonly #id: string;

  private constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
  }

  /** Undefined when another one is there that counts; one that does not is taken away. Rejects when it cannot be made. */
  static async tryAcquire(path: string, now: number): Promise<FileLock | undefined> {
    const lock = create(path);
    if (lock) return new FileLock(path, lock.id);
    const found = await find(path);
    if (found && !isAbandoned(found, now)) return undefined;
    if (found) await remove(path, found, now);
    const next = create(path);
    return next && new FileLock(path, next.id);
  }

  /** Harmless when somebody took it for abandoned: the lock of another stays. */
  async release(): Promise<void> {
    const found = await find(this.#path);
    if (found?.owner?.id === this.#id) await rm(this.#path, { force: true });
  }
}

/** Undefined when there is one. The moment in which it does not say yet whose it is is as short as can be. */
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

/** Undefined when there is none. */
async function find(path: string): Promise<FoundLock | undefined> {
  try {
    const { ino, mtimeNs, mtimeMs } = await stat(path, { bigint: true });
    // Those of kubectl may be read by nobody.
    const text = await readFile(path, 'utf8').catch(() => '');
    return { owner: parseLockOwner(text), identity: identityOf(ino, mtimeNs, text), modifiedAtMs: Number(mtimeMs) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of a lock, by what can be seen of it. */
export function identityOf(inode: bigint, modifiedAtNs: bigint, text: string): string {
  return createHash('sha256').update(`${inode} ${modifiedAtNs} ${text}`).digest('hex').slice(0, 16);
}

function isAbandoned({ owner, modifiedAtMs }: FoundLock, now: number): boolean {
  const state = owner ? stateOf(owner) : 'unknown';
  return state === 'dead' || (state === 'unknown' && now - modifiedAtMs > abandonedAfterMs);
}

/**
 * Takes an abandoned lock away. Only one may do that, or the one that is late would take away the lock of the next: so the
 * right to it is a lock itself, named after the one that goes. It may be abandoned, too.
 */
async function remove(path: string, { identity }: FoundLock, now: number): Promise<void> {
  const rightPath = `${path}.${identity}`;
  const right = await FileLock.tryAcquire(rightPath, now);
  if (!right) return;
  try {
    // Whoever had the right before may have used it.
    if ((await find(path))?.identity === identity) await rm(path, { force: true });
  } finally {
    await right.release();
  }
}
