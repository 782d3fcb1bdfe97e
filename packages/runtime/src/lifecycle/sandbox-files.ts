import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Mount } from '@coxswain/cri';
import { Mount as mountMessage } from '@coxswain/cri';
import { type Commands, readMountInfo } from '@coxswain/linux';
import { runChecked } from '../machinery/index.ts';
import type { Sandbox } from '../model/index.ts';
import { choosePodResolver } from '../network/resolver/pod-resolver.ts';
import type { RuntimePaths } from './runtime-context.ts';

const shmSize = '64m';
/** The kernel's limits for a name. */
const longestHostname = 64;

/** The shared memory of a sandbox's containers. */
const shmOf = (paths: RuntimePaths, sandboxId: string): string => join(paths.state, 'shm', sandboxId);

/** The name that the containers of a sandbox see. */
export const hostnameOf = ({ config }: Pick<Sandbox, 'config'>): string => config.hostname || hostname();

/** Writes the files that all containers of a sandbox share, and mounts its shared memory. */
export async function makeSandboxFiles(sandbox: Sandbox, paths: RuntimePaths, commands: Commands): Promise<void> {
  const { directory, config } = sandbox;
  if (config.hostname.length > longestHostname)
    throw new Error(`hostname ${config.hostname} is longer than ${longestHostname} characters`);
  const work: Promise<unknown>[] = [
    writeFile(join(directory, 'hostname'), `${hostnameOf(sandbox)}\n`, { mode: 0o644 }),
    copyFile('/etc/hosts', join(directory, 'hosts')).catch(() => writeFile(join(directory, 'hosts'), '')),
    writeResolvConf(join(directory, 'resolv.conf'), sandbox),
  ];
  if (config.logDirectory !== '') work.push(mkdir(config.logDirectory, { recursive: true, mode: 0o755 }));
  if (sandbox.namespaces.ipc === 'POD') work.push(mountShm(shmOf(paths, sandbox.id), commands));
  await Promise.all(work);
}

async function mountShm(path: string, commands: Commands): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o1777 });
  await runChecked(commands, [
    'mount',
    '-t',
    'tmpfs',
    '-o',
    `nosuid,nodev,noexec,mode=1777,size=${shmSize}`,
    'shm',
    path,
  ]);
}

/** Unmounts what was mounted; the other files go with the record. Succeeds if nothing is. */
export async function removeSandboxFiles(sandboxId: string, paths: RuntimePaths, commands: Commands): Promise<void> {
  const path = shmOf(paths, sandboxId);
  await unmountAll(path, commands);
  await rm(path, { recursive: true, force: true });
}

async function unmountAll(path: string, commands: Commands): Promise<void> {
  const mounted = (await readMountInfo()).filter(({ mountPoint }) => mountPoint === path);
  for (const _ of mounted) await runChecked(commands, ['umount', '-l', '--', path]);
}

/** Without settings of its own, a sandbox has those of the node, as far as they are of use in its network. */
async function writeResolvConf(path: string, { config, namespaces }: Sandbox): Promise<void> {
  const { servers = [], searches = [], options = [] } = config.dnsConfig ?? {};
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  const text =
    lines.length > 0 ? lines.map((line) => `${line}\n`).join('') : await resolvConfOfNode(namespaces.network);
  await writeFile(path, text, { mode: 0o644 });
}

async function resolvConfOfNode(network: 'POD' | 'NODE'): Promise<string> {
  const path = network === 'NODE' ? '/etc/resolv.conf' : (await choosePodResolver()).path;
  return await readFile(path, 'utf8').catch(() => '');
}

/** The mounts of a sandbox in its containers. */
export function sandboxMounts(sandbox: Sandbox, paths: RuntimePaths, readonly: boolean): readonly Mount[] {
  const { directory, id, namespaces } = sandbox;
  const mount = (containerPath: string, hostPath: string, isReadOnly = readonly): Mount =>
    mountMessage.complete({ containerPath, hostPath, readonly: isReadOnly });
  return [
    ...['hostname', 'hosts', 'resolv.conf'].map((name) => mount(`/etc/${name}`, join(directory, name))),
    mount('/dev/shm', namespaces.ipc === 'NODE' ? '/dev/shm' : shmOf(paths, id), false),
  ];
}
