import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The directory of the CNI plug-ins. */
export const pluginDirectory = '/usr/lib/cni';

/** What `startContainerd` needs besides containerd: programs or paths, and the Debian packages that contain them. */
const needed: Readonly<Record<string, string>> = {
  runc: 'runc',
  '/bin/busybox': 'busybox-static',
  [`${pluginDirectory}/bridge`]: 'containernetworking-plugins',
  [`${pluginDirectory}/host-local`]: 'containernetworking-plugins',
  ip: 'iproute2',
  ps: 'procps',
  mount: 'mount',
  unshare: 'util-linux',
};

/** The containerd of the tests: the one that the variable CONTAINERD names, or else that of the PATH. */
export const containerdProgram = (): string => process.env.CONTAINERD || 'containerd';

/** Returns why no containerd can be started here, and what to install; undefined if it can. */
export async function containerdProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'containers need root';
  const program = containerdProgram();
  const missing = new Map<string, string>();
  for (const [name, debianPackage] of Object.entries({ [program]: 'containerd', ctr: 'containerd', ...needed })) {
    if (!(await isExecutable(name))) missing.set(name, debianPackage);
  }
  if (missing.size > 0) {
    const packages = [...new Set(missing.values())].join(' ');
    return `${[...missing.keys()].join(', ')} not found (Debian: apt-get install ${packages})`;
  }
  return await permissionProblem();
}

/** Root in a container may not be allowed to make mounts and cgroups. */
async function permissionProblem(): Promise<string | undefined> {
  const unshared = await run('unshare', ['--mount', '--net', 'true']).catch((error: unknown) => error);
  if (unshared instanceof Error)
    return `no mount and network namespaces can be made (CAP_SYS_ADMIN): ${unshared.message}`;
  const v1 = '/sys/fs/cgroup/memory';
  const hierarchy = (await isThere(v1, constants.F_OK)) ? v1 : '/sys/fs/cgroup';
  if (!(await isThere(hierarchy, constants.W_OK))) return `no cgroups can be made: ${hierarchy} is not writable`;
  return undefined;
}

async function isExecutable(name: string): Promise<boolean> {
  if (name.includes('/')) return await isThere(name, constants.X_OK);
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = await Promise.all(folders.map((folder) => isThere(join(folder, name), constants.X_OK)));
  return found.includes(true);
}

const isThere = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** Returns whether the containerd of the tests implements GetContainerEvents. Version 1.6 does not. */
export async function containerdHasEvents(): Promise<boolean> {
  const { stdout } = await run(containerdProgram(), ['--version']);
  const [, major = 0, minor = 0] = /\bv?(\d+)\.(\d+)\./.exec(stdout)?.map(Number) ?? [];
  return major > 1 || minor >= 7;
}
