import { mkdir, realpath } from 'node:fs/promises';
import { normalize } from 'node:path';
import type { Mount } from '@coxswain/cri';
import { type MountEntry, readMountInfo } from '@coxswain/linux';
import type { OciLinux, OciMount } from './oci-spec.ts';

export interface MountsRequest {
  /** Those of the container's configuration; image volumes have the path of their mounted image as `hostPath`. */
  readonly mounts: readonly Mount[];
  /** Files of the sandbox, which the configuration may replace. */
  readonly sandboxMounts: readonly Mount[];
  readonly isPrivileged: boolean;
  readonly hasRecursiveReadOnly: boolean;
}

export interface ContainerMounts {
  readonly mounts: readonly OciMount[];
  readonly rootfsPropagation: OciLinux['rootfsPropagation'];
}

const system = (destination: string, type: string, source: string, ...options: string[]): OciMount => ({
  destination,
  type,
  source,
  options,
});

/** What every container has, as with containerd. */
const systemMounts = (mode: 'ro' | 'rw'): readonly OciMount[] => [
  system('/proc', 'proc', 'proc', 'nosuid', 'noexec', 'nodev'),
  system('/dev', 'tmpfs', 'tmpfs', 'nosuid', 'strictatime', 'mode=755', 'size=65536k'),
  system('/dev/pts', 'devpts', 'devpts', 'nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'),
  system('/dev/mqueue', 'mqueue', 'mqueue', 'nosuid', 'noexec', 'nodev'),
  system('/sys', 'sysfs', 'sysfs', 'nosuid', 'noexec', 'nodev', mode),
  system('/sys/fs/cgroup', 'cgroup', 'cgroup', 'nosuid', 'noexec', 'nodev', 'relatime', mode),
];

/**
 * All mounts of a container in the order of mounting, so that none hides one that belongs below it. Directories of the node that do not
 * exist are made. Rejects if a propagation is asked for that the mount on the node does not have.
 */
export async function containerMounts(request: MountsRequest): Promise<ContainerMounts> {
  const { isPrivileged, hasRecursiveReadOnly } = request;
  const own = new Set(request.mounts.map(({ containerPath }) => normalize(containerPath)));
  const asked = [...request.sandboxMounts.filter(({ containerPath }) => !own.has(containerPath)), ...request.mounts];
  const replaced = new Set(asked.map(({ containerPath }) => withoutSlash(normalize(containerPath))));
  const base = systemMounts(isPrivileged ? 'rw' : 'ro').filter(
    ({ destination }) => !replaced.has(destination) && !(replaced.has('/dev') && destination.startsWith('/dev/')),
  );
  const binds: OciMount[] = [];
  let rootfsPropagation: OciLinux['rootfsPropagation'];
  const table = asked.some(({ propagation }) => propagation !== 'PROPAGATION_PRIVATE') ? await readMountInfo() : [];
  for (const mount of asked) {
    const source = await sourceOf(mount.hostPath);
    const access = accessOf(mount, hasRecursiveReadOnly);
    const options = ['rbind', ...propagationOf(mount, source, table), ...access];
    if (mount.propagation === 'PROPAGATION_BIDIRECTIONAL') rootfsPropagation = 'rshared';
    if (mount.propagation === 'PROPAGATION_HOST_TO_CONTAINER') rootfsPropagation ??= 'rslave';
    binds.push({ destination: mount.containerPath, type: 'bind', source, options });
  }
  const depth = ({ destination }: OciMount): number => normalize(destination).split('/').filter(Boolean).length;
  return { mounts: [...base, ...binds.toSorted((a, b) => depth(a) - depth(b))], rootfsPropagation };
}

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path);

async function sourceOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await mkdir(path, { recursive: true, mode: 0o755 });
    return await realpath(path);
  }
}

function accessOf(mount: Mount, hasRecursiveReadOnly: boolean): string[] {
  const { hostPath, readonly: isReadOnly, recursiveReadOnly, propagation } = mount;
  if (!recursiveReadOnly) return [isReadOnly ? 'ro' : 'rw'];
  if (!isReadOnly) throw new Error(`recursive read-only mount conflicts with RW mount (hostPath="${hostPath}")`);
  if (!hasRecursiveReadOnly) {
    throw new Error(`runtime handler does not support recursive read-only mounts (hostPath="${hostPath}")`);
  }
  if (propagation !== 'PROPAGATION_PRIVATE') {
    throw new Error(
      `recursive read-only mount needs private propagation, got "${propagation}" (hostPath="${hostPath}")`,
    );
  }
  return ['rro'];
}

function propagationOf({ propagation }: Mount, source: string, table: readonly MountEntry[]): string[] {
  if (propagation === 'PROPAGATION_PRIVATE') return ['rprivate'];
  const mount = mountOf(source, table);
  const has = (prefix: string): boolean => mount?.propagation.some((tag) => tag.startsWith(prefix)) ?? false;
  const where = `path "${source}" is mounted on "${mount?.mountPoint ?? '/'}" but it is not a shared`;
  if (propagation === 'PROPAGATION_BIDIRECTIONAL') {
    if (!has('shared:')) throw new Error(`${where} mount`);
    return ['rshared'];
  }
  if (!has('shared:') && !has('master:')) throw new Error(`${where} or slave mount`);
  return ['rslave'];
}

/** The mount that a path is in: the last one of those with the longest path. */
function mountOf(path: string, table: readonly MountEntry[]): MountEntry | undefined {
  let found: MountEntry | undefined;
  for (const entry of table) {
    const { mountPoint } = entry;
    const contains = mountPoint === '/' || path === mountPoint || path.startsWith(`${mountPoint}/`);
    if (contains && mountPoint.length >= (found?.mountPoint.length ?? 0)) found = entry;
  }
  return found;
}
