import { lstat, mkdir, readdir, realpath, rmdir, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { componentsOf, hasCode, makeDirectoryInside, openInside, pathOfDescriptor } from '../files/index.ts';
import type { Mounter } from '../mounts/index.ts';

/** Upstream's name, so that directories of its kubelet are found. */
const subPathsDirectory = 'volume-subpaths';

/** A volume mount with a `subPath`. */
export interface SubPath {
  /** Where the volume is mounted on the node. */
  readonly volumePath: string;
  /** Relative to the volume. */
  readonly subPath: string;
  /** The kubelet's directory of the pod. */
  readonly podDirectory: string;
  readonly volumeName: string;
  readonly containerName: string;
  /** Position among the container's volume mounts. */
  readonly volumeMountIndex: number;
}

/**
 * Makes parts of volumes safe to hand to a container runtime. Containers can write to volumes, so they can put a symbolic link where a
 * directory was, between the check of a path and its use. Here a path is opened without following links, and what was opened is
 * bind-mounted into a directory of the pod that no container can reach.
 */
export class SubPaths {
  readonly #mounter: Mounter;

  constructor(mounter: Mounter) {
    this.#mounter = mounter;
  }

  /**
   * Makes the directory of a `subPath` if nothing is there, with the volume's own mode. Symbolic links that stay inside the volume are
   * followed as far as the path exists. Rejects if the path leaves the volume; nothing is made outside of it then.
   */
  async makeDirectory(volumePath: string, subPath: string): Promise<void> {
    const components = componentsOf(subPath);
    const base = await resolveLinks(volumePath);
    const mode = (await lstat(base)).mode & 0o7777;
    for (let existing = components.length; existing >= 0; existing--) {
      const prefix = join(base, ...components.slice(0, existing));
      const resolved = await realpath(prefix).catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw error;
      });
      if (resolved === undefined) continue;
      if (existing === components.length) return;
      const missing = components.slice(existing);
      return await makeDirectoryInside(base, join(within(base, resolved), ...missing), mode);
    }
  }

  /**
   * Bind-mounts what a `subPath` leads to, and returns where: the path to hand to the container runtime. The path must exist. If it is
   * mounted there already, nothing is done. Rejects if it leads out of the volume; nothing is mounted then.
   */
  async prepare(subPath: SubPath, signal?: AbortSignal): Promise<string> {
    componentsOf(subPath.subPath);
    const base = await resolveLinks(subPath.volumePath);
    const path = await resolveLinks(join(base, subPath.subPath));
    const handle = await openInside(base, within(base, path)).catch((cause: Error) => {
      throw new Error(`error opening subpath ${path}: ${cause.message}`, { cause });
    });
    try {
      const stats = await handle.stat({ bigint: true });
      const target = targetOf(subPath);
      if (await this.#mounter.isMountPoint(target)) {
        const mounted = await lstat(target, { bigint: true }).catch(() => undefined);
        if (mounted?.dev === stats.dev && mounted.ino === stats.ino) return target;
        await this.#mounter.unmount(target, { signal });
      }
      await makeTarget(target, stats.isDirectory());
      try {
        await this.#mounter.bindMount({ source: pathOfDescriptor(handle), target }, signal);
      } catch (cause) {
        await removeTarget(target);
        throw new Error(`error mounting ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause });
      }
      return target;
    } finally {
      await handle.close();
    }
  }

  /**
   * Unmounts everything that `prepare` made of a volume for all containers of a pod, and removes the directories. Does nothing if there
   * is nothing. Content of volumes is never removed: a directory that is still mounted cannot be.
   */
  async clean(podDirectory: string, volumeName: string, signal?: AbortSignal): Promise<void> {
    const directory = join(podDirectory, subPathsDirectory, volumeName);
    for (const mount of await this.#mounter.mountsBelow(directory)) {
      await this.#mounter.unmount(mount.mountPoint, { signal });
    }
    for (const container of await namesIn(directory)) {
      for (const index of await namesIn(join(directory, container)))
        await removeTarget(join(directory, container, index));
      await removeDirectory(join(directory, container));
    }
    await removeDirectory(directory);
    // Another volume of the pod may still have its own.
    await removeDirectory(join(podDirectory, subPathsDirectory)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    });
  }
}

const targetOf = ({ podDirectory, volumeName, containerName, volumeMountIndex }: SubPath): string =>
  join(podDirectory, subPathsDirectory, volumeName, containerName, String(volumeMountIndex));

async function resolveLinks(path: string): Promise<string> {
  return await realpath(path).catch((cause: Error) => {
    throw new Error(`error resolving symlinks in "${path}": ${cause.message}`, { cause });
  });
}

/** The path relative to `base`. Throws if it is not inside. */
function within(base: string, path: string): string {
  const inside = relative(base, path);
  if (inside === '..' || inside.startsWith('../')) {
    throw new Error(`subpath "${path}" not within volume path "${base}"`);
  }
  return inside;
}

/** A file is good for everything that is not a directory: sockets, pipes and devices may be mounted on one. */
async function makeTarget(target: string, isDirectory: boolean): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  await removeTarget(target);
  if (isDirectory) await mkdir(target, { mode: 0o750 });
  else await writeFile(target, '', { mode: 0o640, flag: 'wx' });
}

async function removeTarget(target: string): Promise<void> {
  await unlink(target).catch(async (error: unknown) => {
    if (hasCode(error, 'EISDIR', 'EPERM')) return await removeDirectory(target);
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

async function removeDirectory(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
