import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DirectoryLock, makeDirectory } from '@coxswain/storage';
import { dataHome } from '../data-home.ts';
import { contextNameOf, defaultClusterName } from './cluster-name.ts';

/** What a cluster says of itself when it is there. */
export interface ClusterState {
  readonly name: string;
  readonly url: string;
  /** The process that it runs in, or ran in. */
  readonly pid: number;
  /** Whether it forgets everything when it ends. */
  readonly memory: boolean;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The file that kubectl's context was written to. */
  readonly kubeconfig: string;
  /** What cluster, user and context are called there. */
  readonly context: string;
}

const stateName = 'cluster.json';
const adminName = 'admin.kubeconfig';
const lockName = 'lock';
const logName = 'cluster.log';
/** In the user's data: a directory for each cluster but the one that needs no name. */
const clustersName = 'clusters';
/** What a cluster has in its directory. */
const dataNames: ReadonlySet<string> = new Set([
  stateName,
  adminName,
  draftOf(stateName),
  draftOf(adminName),
  'pki',
  'store',
]);
/** The same with what is there of a cluster that kept nothing: nothing else is ever deleted. */
const ownNames: ReadonlySet<string> = new Set([...dataNames, lockName, logName, `${logName}.1`]);

/** The directory of a cluster: its data, and what is known of the process that has it. */
export class ClusterDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Where the cluster of that name is, unless somebody says otherwise. */
  static pathOf(name: string, env: Readonly<Record<string, string | undefined>>): string {
    return name === defaultClusterName ? join(dataHome(env), 'cluster') : join(dataHome(env), clustersName, name);
  }

  /** The names of this user's clusters that have a directory where `pathOf` says. */
  static async names(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
    const others = await namesIn(join(dataHome(env), clustersName));
    const found: string[] = [];
    for (const name of [defaultClusterName, ...others.sort()]) {
      const directory = new ClusterDirectory(ClusterDirectory.pathOf(name, env));
      if (!(await directory.isEmpty()) || (await directory.holder()) !== undefined) found.push(name);
    }
    return found;
  }

  /** What a cluster says that runs in the background. */
  get log(): string {
    return join(this.path, logName);
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

  /** What a cluster says of itself when it is ready. */
  get stateFile(): string {
    return join(this.path, stateName);
  }

  /** What the last cluster wrote; undefined when none got so far, `damaged` when it cannot be read. */
  async state(): Promise<ClusterState | 'damaged' | undefined> {
    const text = await readIfThere(this.stateFile);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return isState(value) ? { ...ofUnnamed, ...value } : 'damaged';
    } catch {
      return 'damaged';
    }
  }

  /** The same for those to whom a damaged file says as much as none. */
  async readableState(): Promise<ClusterState | undefined> {
    const state = await this.state();
    return state === 'damaged' ? undefined : state;
  }

  async write(state: ClusterState, adminKubeconfig: string): Promise<void> {
    await makeDirectory(this.path);
    await writeWhole(this.adminKubeconfig, adminKubeconfig);
    await writeWhole(this.stateFile, `${JSON.stringify(state, undefined, 2)}\n`);
  }

  /** Forgets what was written. */
  async unwrite(): Promise<void> {
    for (const name of [stateName, adminName]) {
      await rm(join(this.path, name), { force: true });
      await rm(join(this.path, draftOf(name)), { force: true });
    }
  }

  /** The text of the administrator's kubeconfig; undefined when there is none. */
  readAdminKubeconfig(): Promise<string | undefined> {
    return readIfThere(this.adminKubeconfig);
  }

  /** Whether there is nothing of a cluster in it. */
  async isEmpty(): Promise<boolean> {
    return !(await namesIn(this.path)).some((name) => dataNames.has(name));
  }

  /** Deletes the cluster's data; whatever else is there stays. */
  async clear(): Promise<void> {
    const names = await namesIn(this.path);
    const own = names.filter((name) => ownNames.has(name));
    for (const name of own) await rm(join(this.path, name), { recursive: true, force: true });
    if (own.length === names.length) await rm(this.path, { recursive: true, force: true });
  }
}

/** Written by versions whose clusters had no names. */
const ofUnnamed = { name: defaultClusterName, context: contextNameOf(defaultClusterName), pid: 0 };

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** What a file is called while it is written. Whoever is killed meanwhile leaves it, and the next cluster takes it away. */
function draftOf(name: string): string {
  return `${name}.new`;
}

/** For those who read it at the same time. */
async function writeWhole(path: string, text: string): Promise<void> {
  await rm(draftOf(path), { force: true });
  await writeFile(draftOf(path), text, { mode: 0o600 });
  await rename(draftOf(path), path);
}

function isState(value: unknown): value is ClusterState {
  return (
    typeof value === 'object' &&
    value !== null &&
    'url' in value &&
    typeof value.url === 'string' &&
    'memory' in value &&
    typeof value.memory === 'boolean' &&
    'startedAt' in value &&
    typeof value.startedAt === 'string' &&
    'kubeconfig' in value &&
    typeof value.kubeconfig === 'string'
  );
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
