import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TarSource } from '../tar/write-tar.ts';

/**
 * Yields the archive members of a path: the file, or all files below the directory. Directories are created implicitly
 * for their files. Only empty ones are members themselves, so that existing directories keep their modes.
 */
export async function* filesOf(
  path: string,
  name: string,
  onSkip?: (path: string, reason: string) => void,
): AsyncGenerator<TarSource, void, undefined> {
  const stats = await lstat(path);
  const common = { name, mode: stats.mode & 0o7777, mtime: stats.mtimeMs / 1000 };
  if (stats.isDirectory()) {
    const children = await readdir(path);
    if (children.length === 0) yield { ...common, type: 'directory', name: `${name}/` };
    for (const child of children.sort()) yield* filesOf(join(path, child), `${name}/${child}`, onSkip);
  } else if (stats.isSymbolicLink()) {
    yield { ...common, type: 'symlink', linkName: await readlink(path) };
  } else if (stats.isFile()) {
    yield { ...common, type: 'file', size: stats.size, content: () => createReadStream(path) };
  } else {
    onSkip?.(path, 'neither a file nor a directory');
  }
}
