import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The mounted cgroup hierarchies. */
export interface CgroupMounts {
  /** Every hierarchy in which a node needs a cgroup. */
  readonly all: readonly string[];
  /** The hierarchy by which processes are found: of version 1 that of `pids`, else version 2. */
  readonly ofProcesses: string;
}

/** Reads `/proc/self/mountinfo`. Throws when there are no cgroups. */
export function readCgroupMounts(mountinfo: string): CgroupMounts {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const path = before.split(' ')[4];
    const [type, , options = ''] = after.split(' ');
    return path && (type === 'cgroup' || type === 'cgroup2') ? [{ path, type, options: options.split(',') }] : [];
  });
  const ofPids = mounts.find(({ type, options }) => type === 'cgroup' && options.includes('pids'));
  const version2 = mounts.find(({ type }) => type === 'cgroup2');
  const ofProcesses = ofPids ?? version2;
  if (!ofProcesses) throw new Error('no cgroups are mounted, neither of version 1 nor of version 2');
  return { all: (ofPids ? mounts : [ofProcesses]).map(({ path }) => path), ofProcesses: ofProcesses.path };
}

export async function cgroupMounts(): Promise<CgroupMounts> {
  return readCgroupMounts(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** The child cgroup for the node's own programs, as opposed to its pods. */
const system = 'system';

/** Creates a cgroup in every hierarchy. Returns the file by which a process gets into it. */
export async function createCgroup({ all, ofProcesses }: CgroupMounts, cgroup: string): Promise<string> {
  for (const mount of all) await mkdir(join(mount, cgroup), { recursive: true });
  await mkdir(join(ofProcesses, cgroup, system), { recursive: true });
  return join(ofProcesses, cgroup, system, 'cgroup.procs');
}

/** Returns the cgroups whose names begin with the prefix, at the top of every hierarchy. */
export async function findCgroups({ all }: CgroupMounts, prefix: string): Promise<string[]> {
  const found = await Promise.all(
    all.map(async (mount) => {
      const names = await readdir(mount);
      return names.filter((name) => name.startsWith(prefix)).map((name) => join(mount, name));
    }),
  );
  return found.flat();
}

/** Returns the processes in a cgroup and below it. */
export async function processesBelow(cgroup: string): Promise<number[]> {
  const pids = await readFile(join(cgroup, 'cgroup.procs'), 'utf8').catch(() => '');
  const below = await Promise.all((await childrenOf(cgroup)).map(processesBelow));
  return [...pids.split('\n').filter(Boolean).map(Number), ...below.flat()];
}

/** Removes a cgroup and those below it. Rejects while it has processes. */
export async function removeCgroup(cgroup: string): Promise<void> {
  for (const child of await childrenOf(cgroup)) await removeCgroup(child);
  await rmdir(cgroup).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function childrenOf(cgroup: string): Promise<string[]> {
  const entries = await readdir(cgroup, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(cgroup, name));
}
