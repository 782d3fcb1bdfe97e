import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file by one with another content. Whenever the process or the machine stops, the file has the old content or the new one.
 * Calls for the same path must come one after the other.
 */
export async function writeFileAtomically(path: string, content: string | Buffer): Promise<void> {
  const temporary = `${path}.new`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
