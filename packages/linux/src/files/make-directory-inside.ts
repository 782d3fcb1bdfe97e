import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './error-code.ts';
import { componentsOf, openDirectory, openEntry, pathInside, pathOfHandle } from './open-inside.ts';

/**
 * Makes the missing directories of a path inside `base`, each with the given mode whatever the umask. Follows no symbolic link, so
 * nothing is made outside of `base`. Rejects if a component is a symbolic link or a file.
 */
export async function makeDirectoryInside(base: string, path: string, mode: number): Promise<void> {
  const components = componentsOf(path);
  let current = await openDirectory(base);
  let name = base;
  try {
    for (const component of components) {
      name = join(name, component);
      const isNew = await mkdir(pathInside(current, component), { mode }).then(
        () => true,
        (cause: unknown) => {
          if (hasCode(cause, 'EEXIST')) return false;
          throw new Error(`cannot create directory ${name}: ${String(cause)}`, { cause });
        },
      );
      const child = await openEntry(current, component);
      await current.close();
      current = child;
      const stats = await current.stat();
      if (stats.isSymbolicLink()) throw new Error(`unexpected symlink found ${name}`);
      if (!stats.isDirectory()) throw new Error(`mkdir ${name}: not a directory`);
      if (isNew) await chmod(pathOfHandle(current), mode & 0o7777);
    }
  } finally {
    await current.close();
  }
}
