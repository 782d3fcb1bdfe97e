import { lstat, mkdir, readdir, readlink, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuntimeService } from '@coxswain/cri';
import { hasRpcCode } from '@coxswain/grpc';
import { unlessNoEntry } from '../files/no-entry.ts';

/** A container whose log has a symlink. */
export interface LinkedContainer {
  readonly id: string;
  readonly name: string;
  readonly podName: string;
  readonly podNamespace: string;
}

const suffix = '.log';
/** No file system that matters has longer names. */
const longestName = 255;
/** Runtimes know a container by a part of its id that is no shorter. */
const shortestId = 6;
const timeoutMs = 120_000;

/** Returns the path of a container's symlink: `/var/log/containers/web_default_main-<id>.log`. Log collectors read the parts of the name. */
export function logSymlinkPath(directory: string, { id, name, podName, podNamespace }: LinkedContainer): string {
  const whole = `${podName}_${podNamespace}_${name}-${id}`;
  return join(directory, whole.slice(0, longestName - suffix.length) + suffix);
}

/** Makes the symlink to the log of a container that was started. Without a log file, none is made. */
export async function makeLogSymlink(directory: string, container: LinkedContainer, logPath: string): Promise<void> {
  if (!(await unlessNoEntry(lstat(logPath)))) return;
  const path = logSymlinkPath(directory, container);
  await mkdir(directory, { recursive: true, mode: 0o755 });
  if ((await unlessNoEntry(readlink(path))) === logPath) return;
  await rm(path, { force: true });
  await symlink(logPath, path);
}

/** Removes the symlink of a container that is removed. Has no effect if there is none. */
export async function removeLogSymlink(directory: string, container: LinkedContainer): Promise<void> {
  await rm(logSymlinkPath(directory, container), { force: true });
}

/**
 * Removes symlinks whose logs are gone. Those of containers that have not ended are kept, because a log is missing for a moment while it
 * is rotated.
 */
export async function removeDanglingLogSymlinks(
  directory: string,
  service: Pick<RuntimeService, 'containerStatus'>,
  signal?: AbortSignal,
): Promise<void> {
  const entries = (await unlessNoEntry(readdir(directory, { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (!entry.isSymbolicLink() || !entry.name.endsWith(suffix) || (await unlessNoEntry(stat(path)))) continue;
    if (!(await mayStillWrite(containerIdOf(entry.name), service, signal))) await rm(path, { force: true });
  }
}

/** Undefined if the name is not one that `logSymlinkPath` makes. */
function containerIdOf(name: string): string | undefined {
  const id = name.slice(name.lastIndexOf('-') + 1, -suffix.length);
  return id.length < shortestId ? undefined : id;
}

async function mayStillWrite(
  containerId: string | undefined,
  service: Pick<RuntimeService, 'containerStatus'>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (containerId === undefined) return false;
  try {
    const { status } = await service.containerStatus({ containerId }, { signal, timeoutMs });
    return status?.state !== 'CONTAINER_EXITED';
  } catch (error) {
    signal?.throwIfAborted();
    // Runtimes do not all tell in the same way that they do not know a container.
    return hasRpcCode(error, 'Unavailable') || hasRpcCode(error, 'DeadlineExceeded');
  }
}
