import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { ContainerdKind } from './containerd-kind.ts';

/** A file or a program in the PATH, with the Debian package that has it. */
type Requirement = readonly [path: string, debianPackage: string];

const always: readonly Requirement[] = [
  ['runc', 'runc'],
  ['ip', 'iproute2'],
  ['nsenter', 'util-linux'],
  ['sysctl', 'procps'],
  ['openssl', 'openssl'],
  ['/usr/sbin/xtables-legacy-multi', 'iptables'],
  ['/usr/lib/cni/bridge', 'containernetworking-plugins'],
  ['/usr/lib/cni/portmap', 'containernetworking-plugins'],
];

/** Rejects, with what to install, when this machine cannot have nodes. */
export async function requireForNodes(containerd: ContainerdKind): Promise<void> {
  if (process.platform !== 'linux') throw new Error('nodes need Linux');
  if (process.getuid?.() !== 0) throw new Error('nodes need root');
  const needed: readonly Requirement[] =
    containerd === 'debian' ? [...always, ['containerd', 'containerd'], ['ctr', 'containerd']] : always;
  const missing: Requirement[] = [];
  for (const requirement of needed) if (!(await isThere(requirement[0]))) missing.push(requirement);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(([, name]) => name))];
  const paths = missing.map(([path]) => path).join(', ');
  throw new Error(`nodes need ${paths} (Debian: apt-get install ${packages.join(' ')})`);
}

async function isThere(program: string): Promise<boolean> {
  const folders = program.startsWith('/') ? ['/'] : (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => access(join(folder, program)));
  return (await Promise.allSettled(found)).some(({ status }) => status === 'fulfilled');
}
