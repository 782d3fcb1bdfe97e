import { createHash } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('.cache', import.meta.url));

/** Returns a name for what is made of the given texts: equal texts have equal names. */
export function cacheKey(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest('hex').slice(0, 16);
}

/**
 * Returns the directory of the cache for a key, which `make` fills if it does not exist. What an interrupted run has begun is thrown away,
 * and so are older directories of the same kind.
 */
export async function cached(kind: string, key: string, make: (directory: string) => Promise<void>): Promise<string> {
  const path = join(directory, `${kind}-${key}`);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return path;
  await mkdir(directory, { recursive: true });
  for (const name of await readdir(directory)) {
    if (name.startsWith(`${kind}-`)) await rm(join(directory, name), { recursive: true, force: true });
  }
  const unfinished = `${path}.unfinished`;
  await mkdir(unfinished);
  try {
    await make(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  return path;
}
