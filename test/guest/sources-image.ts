import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTests } from './bundle-tests.ts';
import { makeDiskImage } from './disk-image.ts';

export const repository = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** Names of files and directories that are not sources. */
const made = new Set(['node_modules', 'dist', '.cache', '.git', 'coverage']);

export interface SourcesImageOptions {
  /** What the guest runs. */
  readonly script: string;
  /** Tests to bundle. */
  readonly tests: readonly string[];
  /** A directory for the image and what it is made from. */
  readonly directory: string;
}

/** Makes an image of the repository's sources as they are, of bundled tests, and of the script. Returns its path. */
export async function makeSourcesImage(options: SourcesImageOptions, signal: AbortSignal): Promise<string> {
  const { script, tests, directory } = options;
  const tree = join(directory, 'tree');
  await mkdir(join(tree, 'job'), { recursive: true });
  await writeFile(join(tree, 'job/script'), script);
  await writeFile(join(tree, 'job/repository'), repository);
  const filter = (path: string): boolean => path === repository || !made.has(basename(path));
  await cp(repository, join(tree, 'repository'), { recursive: true, filter });
  await bundleTests({ repository, tests, to: join(tree, 'repository') });
  const image = join(directory, 'sources.ext4');
  await makeDiskImage({ from: tree, to: image, spareMiB: 8 }, signal);
  return image;
}
