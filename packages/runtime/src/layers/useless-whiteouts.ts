import { lstat, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { openInside, pathOfHandle } from '@coxswain/linux';

/** A layer below another one. */
export interface LowerLayer {
  readonly files: string;
  /** Paths that it hides of the layers below it. */
  readonly whiteouts: ReadonlySet<string>;
  readonly opaqueDirectories: ReadonlySet<string>;
}

/**
 * Removes the whiteouts of a new layer that hide nothing. Overlayfs shows a whiteout as a broken entry in a directory that only one layer
 * has. `lower` are the layers below, the highest first. Returns those that are left.
 */
export async function removeUselessWhiteouts(
  whiteouts: readonly string[],
  target: string,
  lower: readonly LowerLayer[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const useful: string[] = [];
  for (const path of whiteouts) {
    signal?.throwIfAborted();
    if (await isVisible(path, lower)) useful.push(path);
    else await removeDevice(target, path);
  }
  return useful;
}

/** Whether the layers together have something at a path. */
async function isVisible(path: string, lower: readonly LowerLayer[]): Promise<boolean> {
  const above = path.split('/').map((_, at, all) => all.slice(0, at).join('/'));
  for (const { files, whiteouts, opaqueDirectories } of lower) {
    if (whiteouts.has(path) && !(await kindOf(files, path))) return false;
    for (const directory of above) {
      const kind = directory === '' ? 'directory' : await kindOf(files, directory);
      if (kind === 'other' || (!kind && whiteouts.has(directory))) return false;
    }
    if (await kindOf(files, path)) return true;
    if (above.some((directory) => opaqueDirectories.has(directory))) return false;
  }
  return false;
}

/** What one layer has at a path, apart from whiteouts. */
async function kindOf(files: string, path: string): Promise<'directory' | 'other' | undefined> {
  const handle = await openInside(files, textOf(path)).catch((error: Error) => error);
  // Only the last component may be a symbolic link.
  if (handle instanceof Error) return handle.message.startsWith('unexpected symlink') ? 'other' : undefined;
  try {
    const stats = await handle.stat();
    if (stats.isCharacterDevice() && stats.rdev === 0) return undefined;
    return stats.isDirectory() ? 'directory' : 'other';
  } finally {
    await handle.close();
  }
}

/** Nobody else changes the layer, and no link in it is followed. The directory keeps its time. */
async function removeDevice(target: string, path: string): Promise<void> {
  const slash = path.lastIndexOf('/');
  const parent = await openInside(target, textOf(path.slice(0, Math.max(slash, 0)))).catch(() => undefined);
  if (!parent) return;
  try {
    const directory = pathOfHandle(parent);
    const place = join(directory, textOf(path.slice(slash + 1)));
    const device = await lstat(place).catch(() => undefined);
    if (!device?.isCharacterDevice() || device.rdev !== 0) return;
    const { atimeMs, mtimeMs } = await stat(directory);
    await unlink(place);
    await utimes(directory, atimeMs / 1000, mtimeMs / 1000);
  } finally {
    await parent.close();
  }
}

/** Names that are not UTF-8 are not found, and their whiteouts stay. */
const textOf = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');
