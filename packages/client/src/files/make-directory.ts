import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing; harmless when it is there. Rejects with the system's error. Node's own option
 * `recursive` never ends where a file system says ENOENT of something new in a directory that exists, as that of /proc does.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  if (await isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) await makeDirectory(above, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(await isDirectory(path))) throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
