import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { openInside, pathOfHandle } from '@coxswain/linux';
import { readWhole } from './read-bounded-file.ts';

/**
 * Reads a file of a directory to which containers write. Rejects if the path leads out of it, if any part of the path is a symlink, if it is
 * no regular file, or if it has more bytes than that.
 */
export async function readFileInside(directory: string, path: string, mostBytes: number): Promise<string> {
  const place = await openInside(directory, path);
  try {
    // Opening a FIFO does not wait for its writer.
    const file = await open(pathOfHandle(place), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return (await readWhole(file, path, mostBytes)).toString();
    } finally {
      await file.close();
    }
  } finally {
    await place.close();
  }
}
