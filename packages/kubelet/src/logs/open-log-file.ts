import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { openRegularFile } from '../files/open-regular-file.ts';

/**
 * Opens a log below the directory of all logs. Rejects if a symlink below that directory leads to another one: a pod that has the
 * directory as a hostPath volume could make the kubelet read any file. The directory itself may be a symlink.
 */
export async function openLogFile(path: string, root: string): Promise<FileHandle> {
  const below = relative(root, path);
  if (below === '' || below === '..' || below.startsWith(`..${sep}`)) throw new Error(`${path} is not below ${root}`);
  const file = await openRegularFile(path);
  try {
    // The link tells where the open file is, so nothing can be exchanged after this check. A rotated file has another name there.
    const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
    const expected = dirname(join(await realpath(root), below));
    if (dirname(opened) !== expected) throw new Error(`${path} leads to ${opened} by a symlink`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
