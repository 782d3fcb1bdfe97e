import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.ts';
import { DirectoryLock } from './directory-lock.ts';
import { problemOfLmdbFile } from './lmdb-file.ts';
import { makeDirectory } from './make-directory.ts';
import { syncDirectory } from './sync-directory.ts';

const formatName = 'coxswain-store';
const formatVersion = 2;
/** Without checksums. What is written from now on has some. */
const olderVersion = 1;
const identityFile = 'coxswain.json';
const storeFile = 'store.mdb';

/** More than LMDB needs for the readers that it expects. */
const lockFileBytes = 16 * 1024;

/** What LMDB has in it. */
const treeNames: ReadonlySet<string> = new Set(['records', 'values', 'marks']);

/** `creating`: nobody has been answered yet, so what is there may be made anew. `older`: ready, of an older version. */
type State = 'empty' | 'creating' | 'older' | 'ready';

/**
 * The directory that a store has for itself:
 *
 * - `coxswain.json` says what it is, and whether it was ever complete;
 * - `store.mdb` and `store.mdb-lock` are LMDB's;
 * - `lock/` says which process has it.
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
   * Makes sure that it is a store's directory or can become one, and that no other process has it. Throws a
   * `DataDirectoryError` where it must not be used.
   */
  static async open(path: string): Promise<DataDirectory> {
    await makeDirectory(path);
    // Before the lock, so that nothing is created among somebody else's files.
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

  /** To be called when the store is complete on disk and before anything is promised to anybody. */
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
      // LMDB would let others of the group read it.
      await (await open(this.file, 'wx', 0o600)).close();
    }
    await this.#renewLockFile();
  }

  /**
   * LMDB maps its lock file into memory and believes what another process left there; where the file has no room on the
   * disk yet, the system ends the process when the disk is full. Nobody else uses it while the directory is ours.
   */
  async #renewLockFile(): Promise<void> {
    const path = `${this.file}-lock`;
    await rm(path, { force: true });
    await writeFile(path, new Uint8Array(lockFileBytes), { mode: 0o600 });
  }
}

/** What the directory is. Throws for one that is not a store's, or one of a later version. */
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
    throw new DataDirectoryError(path, `is not a store: ${identityFile} says something else`);
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

/** Replaces the file as a whole, durably. */
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
