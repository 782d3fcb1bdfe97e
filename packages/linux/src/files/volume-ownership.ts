import type { Stats } from 'node:fs';
import { chmod, chown, type FileHandle, lstat, open } from 'node:fs/promises';
import { anyFlags, pathOfHandle } from './open-inside.ts';
import { type TreeEntry, walkTree } from './walk-tree.ts';

const readWrite = 0o660;
const readOnlyMode = 0o440;
const execute = 0o110;
const setGid = 0o2000;
const unchanged = -1;

export interface VolumeOwnershipOptions {
  readonly fsGroup: number;
  readonly readOnly?: boolean;
  /** `OnRootMismatch` looks at the directory only, and does nothing if that is as it would be made. Default `Always`. */
  readonly policy?: 'Always' | 'OnRootMismatch';
  /** Called with the number of files so far after each one. */
  readonly onProgress?: (files: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface VolumeOwnershipResult {
  /** 0 if nothing had to be looked at. */
  readonly files: number;
  /** How many could not be changed, such as those of a file system without owners. */
  readonly failed: number;
  readonly firstError: Error | undefined;
}

/**
 * Gives a volume to a group, as a pod's `fsGroup` asks for: every file and directory belongs to the group, which may read and write
 * it; directories pass the group on to new files. The directory itself comes last, so an interrupted change is seen by
 * `OnRootMismatch` the next time. Symbolic links are changed, not followed, even if a container makes them meanwhile.
 *
 * A file that cannot be changed does not end the change. Rejects if the volume cannot be read.
 */
export async function setVolumeOwnership(
  directory: string,
  options: VolumeOwnershipOptions,
): Promise<VolumeOwnershipResult> {
  const { fsGroup, readOnly = false, policy = 'Always', onProgress, signal } = options;
  const wanted: Wanted = { group: fsGroup, mode: readOnly ? readOnlyMode : readWrite };
  let files = 0;
  let failed = 0;
  let firstError: Error | undefined;
  if (policy === 'OnRootMismatch' && isOwned(await lstat(directory), wanted)) return { files, failed, firstError };
  await walkTree(
    directory,
    async (entry) => {
      files++;
      onProgress?.(files);
      await changeEntry(entry, wanted).catch((error: Error) => {
        failed++;
        firstError ??= error;
      });
    },
    { signal },
  );
  return { files, failed, firstError };
}

interface Wanted {
  readonly group: number;
  readonly mode: number;
}

const modeOf = (stats: Stats, { mode }: Wanted): number => (stats.isDirectory() ? mode | execute | setGid : mode);

/** Whether the directory of a volume has the group and mode already; other permissions may be set too. */
function isOwned(stats: Stats, wanted: Wanted): boolean {
  return stats.isDirectory() && stats.gid === wanted.group && hasMode(stats, wanted);
}

function hasMode(stats: Stats, wanted: Wanted): boolean {
  const mode = modeOf(stats, wanted);
  return (stats.mode & mode) === mode;
}

async function changeEntry({ path, stats, handle }: TreeEntry, wanted: Wanted): Promise<void> {
  if (isChanged(stats, wanted)) return;
  if (handle) return await change(handle, wanted);
  const opened = await open(path, anyFlags);
  try {
    await change(opened, wanted);
  } finally {
    await opened.close();
  }
}

async function change(handle: FileHandle, wanted: Wanted): Promise<void> {
  const path = pathOfHandle(handle);
  const stats = await handle.stat();
  if (stats.gid !== wanted.group) await chown(path, unchanged, wanted.group);
  // Changing the group has cleared the set-user-ID and set-group-ID bits; this sets them again.
  if (!stats.isSymbolicLink()) await chmod(path, (stats.mode & 0o7777) | modeOf(stats, wanted));
}

const isChanged = (stats: Stats, wanted: Wanted): boolean =>
  stats.gid === wanted.group && (stats.isSymbolicLink() || hasMode(stats, wanted));
