import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents with mode 0700, unless it exists. Node's `recursive` option never ends on a file system that reports
 * ENOENT for a new entry of an existing directory, as /proc does.
 */
export async function makeDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) await makeDirectory(above);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // It may have been created concurrently.
    if (!(await isDirectory(path))) throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
