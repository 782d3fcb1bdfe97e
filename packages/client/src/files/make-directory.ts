import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents; does nothing when it exists. Rejects with the system's error. Node's own
 * option `recursive` loops forever where a file system returns ENOENT for a new entry in an existing directory, as
 * /proc does.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  if (await isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) await makeDirectory(above, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another process may have created it concurrently.
    if (!(await isDirectory(path))) throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
