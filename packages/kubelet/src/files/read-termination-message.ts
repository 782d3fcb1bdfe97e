import { messageOf } from '@coxswain/apimachinery/errors';
import { isNoEntry } from './no-entry.ts';
import { openRegularFile } from './open-regular-file.ts';

/** Of the last words of a container, a status has at most so many bytes: the last ones. */
const mostBytes = 4096;

/**
 * Reads the file that a container was given for its last words. Returns undefined if there is no such file, and a message about the
 * failure, which belongs into the status, if it can't be read. The file may be of any size and kind: reading neither waits nor follows
 * symlinks.
 */
export async function readTerminationMessage(path: string): Promise<string | undefined> {
  try {
    return (await endOfFile(path)).toString();
  } catch (error) {
    return isNoEntry(error) ? undefined : `Error on reading termination log ${path}: ${messageOf(error)}`;
  }
}

async function endOfFile(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, mostBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
