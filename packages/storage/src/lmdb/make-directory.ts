import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, for its owner alone; harmless when it is there. Node's own way, `recursive`, never ends where a
 * file system says ENOENT of something new in a directory that exists, as that of /proc does.
 */
export async function makeDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) await makeDirectory(above);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!(await isDirectory(path))) throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
