import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What a cluster that runs says of itself. */
export interface RunningCluster {
  readonly pid: number;
  readonly url: string;
  /** Whether it forgets everything when it ends. */
  readonly memory: boolean;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The file that kubectl's context was written to. */
  readonly kubeconfig: string;
}

const stateName = 'cluster.json';
/** What a cluster has in its directory: nothing else is ever deleted. */
const ownNames = new Set([stateName, 'admin.kubeconfig', 'pki', 'store']);

/** The directory of a cluster: its data, and what is known of the process that has it. */
export class ClusterDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** In the user's own data, where the XDG specification wants it. */
  static defaultPath({ XDG_DATA_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
    return join(XDG_DATA_HOME || join(HOME || homedir(), '.local', 'share'), 'coxswain', 'cluster');
  }

  /** With all rights, for this user alone. */
  get adminKubeconfig(): string {
    return join(this.path, 'admin.kubeconfig');
  }

  /** The cluster that has the directory now; undefined when none does, also after one that ended without good-bye. */
  async running(): Promise<RunningCluster | undefined> {
    const state = await this.#read();
    return state && isAlive(state.pid) ? state : undefined;
  }

  async write(state: RunningCluster, adminKubeconfig: string): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await writeFile(this.adminKubeconfig, adminKubeconfig, { mode: 0o600 });
    await writeFile(join(this.path, stateName), `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  }

  /** The cluster has ended. */
  async release(): Promise<void> {
    await rm(join(this.path, stateName), { force: true });
  }

  /** Whether there is anything that `clear` would delete. */
  async isEmpty(): Promise<boolean> {
    return !(await this.#names()).some((name) => ownNames.has(name));
  }

  /** Deletes the cluster's data; whatever else is there stays. */
  async clear(): Promise<void> {
    const names = await this.#names();
    for (const name of names.filter((each) => ownNames.has(each)))
      await rm(join(this.path, name), { recursive: true, force: true });
    if (names.every((name) => ownNames.has(name))) await rm(this.path, { recursive: true, force: true });
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #read(): Promise<RunningCluster | undefined> {
    try {
      return JSON.parse(await readFile(join(this.path, stateName), 'utf8'));
    } catch (error) {
      // One that was cut off in the middle says nothing, too.
      if (isMissing(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is somebody else's, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
