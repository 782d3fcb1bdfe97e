import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { FileSystem } from './file-system.ts';

/** Opens a file as a place in the tree, not for reading: devices and pipes are not touched. Node has no name for it. */
const O_PATH = 0o10000000;

/** A path of what an open descriptor refers to, whatever the path by which it was opened has become. */
export const pathOf = (handle: FileHandle, name?: string): string =>
  name === undefined ? `/proc/self/fd/${handle.fd}` : `/proc/self/fd/${handle.fd}/${name}`;

/** Opens an entry of a directory, or an absolute path. The entry itself is opened if it is a symbolic link. */
export const openEntry = (files: FileSystem, path: string): Promise<FileHandle> =>
  files.open(path, O_PATH | constants.O_NOFOLLOW);

/** Returns the number of the mount that a descriptor is in: two descriptors differ in it if there is a mount point between them. */
export async function mountIdOf(files: FileSystem, handle: FileHandle): Promise<string> {
  const info = await files.readFile(`/proc/self/fdinfo/${handle.fd}`, 'utf8');
  return /^mnt_id:\s*(\d+)$/m.exec(info)?.[1] ?? '';
}
