import { copyFile, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { cached, cacheKey } from './cache.ts';
import { makeDiskImage } from './disk-image.ts';
import { repository } from './sources-image.ts';

/** Large packages that no test in the guest loads. */
const unneeded = [
  ...['@aws-cdk', '@biomejs', '@kubernetes', '@forklift-ui', '@arethetypeswrong', '@typescript', 'typescript', 'knip'],
];

/** Returns an image of Node and of the installed packages from the cache, or makes it. */
export async function packagesImage(signal: AbortSignal): Promise<string> {
  const lock = await readFile(join(repository, 'package-lock.json'), 'utf8');
  const key = cacheKey(process.version, process.arch, lock, unneeded.join());
  const directory = await cached('packages', key, async (made) => {
    const from = join(repository, 'node_modules');
    const tree = join(made, 'tree');
    await mkdir(join(tree, 'bin'), { recursive: true });
    await copyFile(process.execPath, join(tree, 'bin/node'));
    await cp(from, join(tree, 'repository/node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !unneeded.includes(relative(from, path)) && !basename(path).startsWith('.'),
    });
    signal.throwIfAborted();
    await makeDiskImage({ from: tree, to: join(made, 'packages.ext4'), spareMiB: 8 }, signal);
    await rm(tree, { recursive: true });
  });
  return join(directory, 'packages.ext4');
}
