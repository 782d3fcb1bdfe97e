import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDiskImage } from './disk-image.ts';

export const repository = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** Names of files and directories that are not sources. */
const made = new Set(['node_modules', 'dist', '.cache', '.git', 'coverage']);

/** Makes an image of the repository's sources as they are, and of the script that the guest runs. Returns its path. */
export async function makeSourcesImage(script: string, directory: string, signal: AbortSignal): Promise<string> {
  const tree = join(directory, 'tree');
  await mkdir(join(tree, 'job'), { recursive: true });
  await writeFile(join(tree, 'job/script'), script);
  await writeFile(join(tree, 'job/repository'), repository);
  const filter = (path: string): boolean => path === repository || !made.has(basename(path));
  await cp(repository, join(tree, 'repository'), { recursive: true, filter });
  const image = join(directory, 'sources.ext4');
  await makeDiskImage({ from: tree, to: image, spareMiB: 8 }, signal);
  return image;
}
