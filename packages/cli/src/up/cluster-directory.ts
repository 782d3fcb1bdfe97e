import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DirectoryLock } from '@coxswain/storage';

/** What a cluster says of itself when it is there. */
export interface ClusterState {
  readonly url: string;
  /** Whether it forgets everything when it ends. */
  readonly memory: boolean;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The file that kubectl's context was written to. */
  readonly kubeconfig: string;
}

const stateName = 'cluster.json';
const adminName = 'admin.kubeconfig';
const lockName = 'lock';
/** What a cluster has in its directory besides the lock: nothing else is ever deleted. */
const dataNames: ReadonlySet<string> = new Set([stateName, adminName, 'pki', 'store']);

/** The directory of a cluster: its data, and what is known of the process that has it. */
export class ClusterDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** In the user's own data, where the XDG specification wants it. */
  static defaultPath({ XDG_DATA_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
    return join(XDG_DATA_HOME || join(HOME || homedir(), '.local', 'share'), 'coxswain', 'cluster');
  }

  /** With all rights, for this user alone. */
  get adminKubeconfig(): string {
    return join(this.path, adminName);
  }

  /** The process whose cluster has the directory now; undefined when none does, however the last one ended. */
  holder(): Promise<number | undefined> {
    return DirectoryLock.holder(this.path);
  }

  /** Nobody else's until the lock is released. Throws an Error that says whose it is, or why it can be nobody's. */
  async claim(): Promise<DirectoryLock> {
    const found = await stat(this.path).catch(() => undefined);
    if (found && !found.isDirectory()) throw new Error(`${this.path} is not a directory`);
    return await DirectoryLock.acquire(this.path);
  }

  /** What the last cluster wrote; undefined when none got so far. */
  async state(): Promise<ClusterState | undefined> {
    const text = await readIfThere(join(this.path, stateName));
    try {
      return text === undefined ? undefined : JSON.parse(text);
    } catch {
      // Cut off in the middle, which says as much as nothing.
      return undefined;
    }
  }

  async write(state: ClusterState, adminKubeconfig: string): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await writeFile(this.adminKubeconfig, adminKubeconfig, { mode: 0o600 });
    await writeFile(join(this.path, stateName), `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  }

  /** Forgets what was written. */
  async unwrite(): Promise<void> {
    for (const name of [stateName, adminName]) await rm(join(this.path, name), { force: true });
  }

  /** The text of the administrator's kubeconfig; undefined when there is none. */
  readAdminKubeconfig(): Promise<string | undefined> {
    return readIfThere(this.adminKubeconfig);
  }

  /** Whether there is nothing of a cluster in it. */
  async isEmpty(): Promise<boolean> {
    return !(await this.#names()).some((name) => dataNames.has(name));
  }

  /** Deletes the cluster's data; whatever else is there stays. */
  async clear(): Promise<void> {
    const names = await this.#names();
    const own = names.filter((name) => dataNames.has(name) || name === lockName);
    for (const name of own) await rm(join(this.path, name), { recursive: true, force: true });
    if (own.length === names.length) await rm(this.path, { recursive: true, force: true });
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
