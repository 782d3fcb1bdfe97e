import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DirectoryLock, makeDirectory } from '@coxswain/storage';
import { dataHome } from '../data-home.ts';
import { contextNameOf, defaultClusterName } from './cluster-name.ts';
import { draftOf, writeWhole } from './write-whole.ts';

/** The state that a cluster writes when it is ready. */
export interface ClusterState {
  readonly name: string;
  readonly url: string;
  /** The process that it runs in, or ran in. */
  readonly pid: number;
  /** Whether it keeps all data in memory. */
  readonly memory: boolean;
  /** In the format of RFC 3339. */
  readonly startedAt: string;
  /** The kubeconfig file that the context was written to. */
  readonly kubeconfig: string;
  /** The name of cluster, user and context in that file. */
  readonly context: string;
}

const stateName = 'cluster.json';
const adminName = 'admin.kubeconfig';
const lockName = 'lock';
const logName = 'cluster.log';
const runtimeRecord = 'runtime';
/** The folder in the user's data with a directory for each cluster except the default one. */
const clustersName = 'clusters';
/** The files of a cluster in its directory. */
const dataNames: ReadonlySet<string> = new Set([
  stateName,
  adminName,
  draftOf(stateName),
  draftOf(adminName),
  'pki',
  'store',
  'node',
  'runtime',
]);
/** The same files, and those that a cluster in memory writes. Nothing else is ever deleted. */
const ownNames: ReadonlySet<string> = new Set([...dataNames, lockName, logName, `${logName}.1`]);

/** The directory of a cluster: its data, and the state of the process that uses it. */
export class ClusterDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Returns the default directory of the cluster with that name. */
  static pathOf(name: string, env: Readonly<Record<string, string | undefined>>): string {
    return name === defaultClusterName ? join(dataHome(env), 'cluster') : join(dataHome(env), clustersName, name);
  }

  /** Returns the names of this user's clusters whose directories are at their default paths. */
  static async names(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
    const others = await namesIn(join(dataHome(env), clustersName));
    const found: string[] = [];
    for (const name of [defaultClusterName, ...others.sort()]) {
      const directory = new ClusterDirectory(ClusterDirectory.pathOf(name, env));
      if (!(await directory.isEmpty()) || (await directory.holder()) !== undefined) found.push(name);
    }
    return found;
  }

  /** The log file of a cluster in the background. */
  get log(): string {
    return join(this.path, logName);
  }

  /** The directory of the real node, for pods, volumes and logs. */
  get node(): string {
    return join(this.path, 'node');
  }

  /** The directory of our own container runtime, for images and records. */
  get runtime(): string {
    return join(this.path, 'runtime');
  }

  /** Where that runtime has sockets and mounts. The path is short, because those of Unix sockets are limited. */
  get runtimeState(): string {
    return `/run/coxswain/${this.owner}`;
  }

  /** Distinguishes what the real node of this cluster has made on the machine from what other clusters have. */
  get owner(): string {
    return createHash('sha256').update(this.path).digest('hex').slice(0, 12);
  }

  /** The kubeconfig with all rights, readable only for its owner. */
  get adminKubeconfig(): string {
    return join(this.path, adminName);
  }

  /** Returns the id of the process whose cluster uses the directory; undefined when there is none, however the last one ended. */
  holder(): Promise<number | undefined> {
    return DirectoryLock.holder(this.path);
  }

  /** Locks the directory. Throws an Error when another process uses it (which the message names), or when it cannot be used. */
  async claim(): Promise<DirectoryLock> {
    const found = await stat(this.path).catch(() => undefined);
    if (found && !found.isDirectory()) throw new Error(`${this.path} is not a directory`);
    return await DirectoryLock.acquire(this.path);
  }

  /** The file with the state of a cluster that is ready. */
  get stateFile(): string {
    return join(this.path, stateName);
  }

  /** Returns the state that the last cluster wrote; undefined when there is none, `damaged` when it cannot be read. */
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

  /** Returns the state; undefined when there is none or it is damaged. */
  async readableState(): Promise<ClusterState | undefined> {
    const state = await this.state();
    return state === 'damaged' ? undefined : state;
  }

  async write(state: ClusterState, adminKubeconfig: string): Promise<void> {
    await makeDirectory(this.path);
    await writeWhole(this.adminKubeconfig, adminKubeconfig);
    await writeWhole(this.stateFile, `${JSON.stringify(state, undefined, 2)}\n`);
  }

  /** Records what runs the containers of the real node, before any runs: whoever deletes the cluster must find them. */
  async recordRuntime(record: string): Promise<void> {
    await makeDirectory(this.node);
    await writeWhole(join(this.node, runtimeRecord), `${record}\n`);
  }

  /** Returns what runs, or ran, the containers of the real node; undefined if there never was one. */
  async recordedRuntime(): Promise<string | undefined> {
    return (await readIfThere(join(this.node, runtimeRecord)))?.trim();
  }

  /** Deletes the state and the kubeconfig. */
  async unwrite(): Promise<void> {
    for (const name of [stateName, adminName]) {
      await rm(join(this.path, name), { force: true });
      await rm(join(this.path, draftOf(name)), { force: true });
    }
  }

  /** Returns the text of the admin kubeconfig; undefined when there is none. */
  readAdminKubeconfig(): Promise<string | undefined> {
    return readIfThere(this.adminKubeconfig);
  }

  /** Returns whether the directory has no files of a cluster. */
  async isEmpty(): Promise<boolean> {
    return !(await namesIn(this.path)).some((name) => dataNames.has(name));
  }

  /** Deletes the cluster's files. Other files are kept. */
  async clear(): Promise<void> {
    const names = await namesIn(this.path);
    const own = names.filter((name) => ownNames.has(name));
    for (const name of own) await rm(join(this.path, name), { recursive: true, force: true });
    if (own.length === names.length) await rm(this.path, { recursive: true, force: true });
  }
}

/** The missing fields of states written by versions without cluster names. */
const ofUnnamed = { name: defaultClusterName, context: contextNameOf(defaultClusterName), pid: 0 };

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
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
