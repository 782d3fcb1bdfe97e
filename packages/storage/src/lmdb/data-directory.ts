import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.ts';
import { DirectoryLock } from './directory-lock.ts';
import { problemOfLmdbFile } from './lmdb-file.ts';
import { makeDirectory } from './make-directory.ts';
import { syncDirectory } from './sync-directory.ts';

const formatName = 'coxswain-store';
const formatVersion = 2;
/** The format without checksums. New records in such a store get them. */
const olderVersion = 1;
const identityFile = 'coxswain.json';
const storeFile = 'store.mdb';

/** More than LMDB needs for its expected readers. */
const lockFileBytes = 16 * 1024;

/** The names of the LMDB databases. */
const treeNames: ReadonlySet<string> = new Set(['records', 'values', 'marks']);

/**
 * `creating`: no write was acknowledged yet, so the store may be created again. `older`: complete, in format version 1.
 */
type State = 'empty' | 'creating' | 'older' | 'ready';

/**
 * The directory of one store:
 *
 * - `coxswain.json` has the format, the version, and whether the store was ever complete;
 * - `store.mdb` and `store.mdb-lock` are LMDB's;
 * - `lock/` identifies the process that uses the directory.
 */
export class DataDirectory {
  readonly path: string;
  readonly #lock: DirectoryLock;
  #state: State;

  private constructor(path: string, lock: DirectoryLock, state: State) {
    this.path = path;
    this.#lock = lock;
    this.#state = state;
  }

  /**
   * Locks the directory, and checks that it is a store's directory or can become one. Throws a `DataDirectoryError`
   * when it is in use or must not be used.
   */
  static async open(path: string): Promise<DataDirectory> {
    await makeDirectory(path);
    // Before the lock is taken, so that nothing is created in a directory that is not a store's.
    await inspect(path);
    const lock = await DirectoryLock.acquire(path);
    try {
      const directory = new DataDirectory(path, lock, await inspect(path));
      await directory.#prepare();
      return directory;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  get file(): string {
    return join(this.path, storeFile);
  }

  /** Must be called when the store is complete on disk, before the first write is acknowledged. */
  async complete(): Promise<void> {
    if (this.#state === 'ready') return;
    await writeIdentity(this.path, 'ready');
    this.#state = 'ready';
  }

  async release(): Promise<void> {
    await this.#lock.release();
  }

  async #prepare(): Promise<void> {
    if (this.#state === 'ready' || this.#state === 'older') {
      const problem = await problemOfLmdbFile(this.file, treeNames).catch((cause: unknown) => {
        throw new DataDirectoryError(this.path, `is incomplete: ${storeFile} cannot be read`, { cause });
      });
      if (problem !== undefined) throw new DataDirectoryError(this.path, `is damaged: ${storeFile} ${problem}`);
    } else {
      await writeIdentity(this.path, 'creating');
      await rm(this.file, { force: true });
      // LMDB would create it readable for the group.
      await (await open(this.file, 'wx', 0o600)).close();
    }
    await this.#renewLockFile();
  }

  /**
   * Replaces LMDB's lock file. LMDB maps it into memory and trusts its contents, whatever another process left there.
   * And where the file has no blocks on the disk yet, the system kills the process when the disk is full. No other
   * process uses the file while we hold the directory.
   */
  async #renewLockFile(): Promise<void> {
    const path = `${this.file}-lock`;
    await rm(path, { force: true });
    await writeFile(path, new Uint8Array(lockFileBytes), { mode: 0o600 });
  }
}

/** Returns the directory's state. Throws when it is not a store's, or is of a later version. */
async function inspect(path: string): Promise<State> {
  const names = await readdir(path);
  if (names.includes(identityFile)) return stateOf(path, await readFile(join(path, identityFile), 'utf8'));
  const others = names.filter((name) => name !== 'lock' && name !== `${identityFile}.new`);
  if (others.length === 0) return 'empty';
  throw new DataDirectoryError(path, `is not a store: it has no ${identityFile}, but other files`);
}

function stateOf(path: string, text: string): State {
  const { format, version, state } = parsed(text);
  if (format !== formatName || typeof version !== 'number') {
    throw new DataDirectoryError(path, `is not a store: ${identityFile} does not describe a store`);
  }
  if (version !== formatVersion && version !== olderVersion) {
    throw new DataDirectoryError(
      path,
      `has format ${version}, and this version knows ${olderVersion} and ${formatVersion}`,
    );
  }
  if (state === 'creating') return 'creating';
  return version === formatVersion ? 'ready' : 'older';
}

function parsed(text: string): { format?: unknown; version?: unknown; state?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Replaces the file atomically and durably. */
async function writeIdentity(path: string, state: State): Promise<void> {
  const target = join(path, identityFile);
  const file = await open(`${target}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format: formatName, version: formatVersion, state }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${target}.new`, target);
  await syncDirectory(path);
}
