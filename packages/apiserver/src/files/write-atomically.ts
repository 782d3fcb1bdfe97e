import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withTemporaryFile } from '@coxswain/client/kubeconfig';

/** Returns the text of a file, or undefined when it does not exist. Throws when it cannot be read. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file atomically: readers, also after a crash, find either the old text or the new one. The file is created with
 * `mode`, so its content is never readable with other permissions.
 */
export async function writeAtomically(path: string, text: string, mode: number): Promise<void> {
  await withTemporaryFile(path, async (temporary) => {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  });
  await syncDirectory(dirname(path));
}

/** Makes the rename durable, on platforms that can sync a directory. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'EPERM')))
      throw error;
  } finally {
    await directory.close();
  }
}
