import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** O_NONBLOCK: opening a FIFO does not wait for its writer. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file for reading. Rejects if the path leads to something else, also if it is a symlink to a regular file. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, flags);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
