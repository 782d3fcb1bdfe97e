import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withTemporaryFile } from '@coxswain/client/kubeconfig';

/** The text of a file; undefined when there is none. Throws for one that cannot be read. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Puts a file in place as a whole: whoever reads it, also after a crash, finds the old text or the new one. The mode
 * holds from the first byte on.
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

/** Makes the new name durable, where the platform can. */
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
