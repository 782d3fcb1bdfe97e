import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** As many as the kernel follows. */
const maxLinks = 40;

/**
 * Finds out where a path of a container leads inside its root file system. Symbolic links are followed as the container would follow them:
 * never out of the root. What does not exist is taken as it is written.
 *
 * Nothing else may change the root file system meanwhile, so it is only for those that no container uses yet.
 */
export async function pathInRoot(root: string, path: string): Promise<string> {
  const pending = path.split('/').reverse();
  let resolved: string[] = [];
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      resolved.pop();
      continue;
    }
    const target = await linkTarget(join(root, ...resolved, part));
    if (target === undefined) {
      resolved.push(part);
      continue;
    }
    if (++links > maxLinks) throw new Error(`too many symbolic links in ${path}`);
    if (target.startsWith('/')) resolved = [];
    pending.push(...target.split('/').reverse());
  }
  return join(root, ...resolved);
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}
