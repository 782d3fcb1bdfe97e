import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addDirectory } from './add-directory.ts';
import { ImageStore } from './image-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'add-directory-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function fill(name: string, time: number): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, 'bin'), { recursive: true });
  await writeFile(join(path, 'bin', 'program'), 'content');
  await chmod(join(path, 'bin', 'program'), 0o755);
  await symlink('program', join(path, 'bin', 'link'));
  await utimes(join(path, 'bin', 'program'), time, time);
  return path;
}

it('the same content gives the same layer, whenever it was written', async () => {
  const store = await ImageStore.open(join(folder, 'store'));
  const first = await addDirectory(store, await fill('a', 1_000));
  const second = await addDirectory(store, await fill('b', 2_000));
  expect(second).toEqual(first);
  const changed = await fill('c', 1_000);
  await chmod(join(changed, 'bin', 'program'), 0o4755);
  expect((await addDirectory(store, changed)).digest).not.toBe(first.digest);
});

it('rejects for a directory that is missing, with what tar says', async () => {
  const store = await ImageStore.open(join(folder, 'store'));
  await expect(addDirectory(store, join(folder, 'none'))).rejects.toThrow(/tar of .*none failed: .*No such file/);
});
