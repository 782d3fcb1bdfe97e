import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CpioEntry, cpio } from './cpio.ts';

const inside = fileURLToPath(new URL('inside/', import.meta.url));

/** Writes the initial RAM disk that mounts the root file system and adds our files to it. `root` is the directory of `rootImage`. */
export async function makeInitrd(root: string, file: string): Promise<void> {
  const directories = ['bin/', 'dev/', 'root/'].map((path) => ({ path }));
  const programs = [
    { path: 'init', mode: 0o755, content: await readFile(join(inside, 'init')) },
    { path: 'bin/busybox', mode: 0o755, content: await readFile(join(root, 'busybox')) },
  ];
  const trees = [...(await entriesOf(root, 'modules')), ...(await entriesOf(inside, 'files'))];
  await writeFile(file, cpio([...directories, ...programs, ...trees]));
}

/** The entries of a directory and all below it, with their modes. */
async function entriesOf(parent: string, path: string): Promise<CpioEntry[]> {
  const entries: CpioEntry[] = [{ path: `${path}/` }];
  for (const entry of await readdir(join(parent, path), { withFileTypes: true })) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) entries.push(...(await entriesOf(parent, below)));
    else {
      const mode = (await stat(join(parent, below))).mode & 0o777;
      entries.push({ path: below, mode, content: await readFile(join(parent, below)) });
    }
  }
  return entries;
}
