import { chmod, chown, type FileHandle, utimes } from 'node:fs/promises';
import { openInside, pathOfHandle } from '@coxswain/linux';

/**
 * Gives directories of a new layer the owner, the permissions and the time of the same directories in the layers below: the layer has no
 * entry for them, so it does not change them. `lower` are the directories of the layers below, the highest first. No symbolic link is followed.
 */
export async function copyAttributes(
  paths: readonly string[],
  target: string,
  lower: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (lower.length === 0) return;
  for (const path of paths) {
    signal?.throwIfAborted();
    const source = await highestDirectory(path, lower);
    if (!source) continue;
    const { mode, uid, gid, atimeMs, mtimeMs } = source;
    const directory = await open(target, path);
    if (!directory) continue;
    try {
      const place = pathOfHandle(directory);
      await chown(place, uid, gid);
      await chmod(place, mode & 0o7777);
      await utimes(place, atimeMs / 1000, mtimeMs / 1000);
    } finally {
      await directory.close();
    }
  }
}

/** Returns what is known of the directory in the highest layer that has something of that name; undefined if that is no directory. */
async function highestDirectory(path: string, lower: readonly string[]) {
  for (const layer of lower) {
    const handle = await open(layer, path);
    if (!handle) continue;
    try {
      const stats = await handle.stat();
      return stats.isDirectory() ? stats : undefined;
    } finally {
      await handle.close();
    }
  }
  return undefined;
}

/** Undefined if the layer does not have it. */
async function open(layer: string, path: string): Promise<FileHandle | undefined> {
  // Names that are not UTF-8 cannot be opened so; their directories keep the usual attributes.
  return await openInside(layer, Buffer.from(path, 'latin1').toString('utf8')).catch(() => undefined);
}
