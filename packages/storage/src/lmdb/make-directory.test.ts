import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDirectory } from './make-directory.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'make-directory-'));
});
afterEach(() => rm(root, { recursive: true }));

it('creates a directory and its parents with mode 0700, also concurrently or again', async () => {
  const path = join(root, 'a', 'b', 'c');
  await Promise.all([makeDirectory(path), makeDirectory(path), makeDirectory(join(root, 'a', 'x'))]);
  await makeDirectory(path);
  for (const each of [path, join(root, 'a', 'x')]) expect((await stat(each)).mode & 0o777).toBe(0o700);
});

it('rejects when the path or a parent is a file', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(makeDirectory(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(join(root, 'file', 'deep', 'er'))).rejects.toMatchObject({ code: 'EEXIST' });
});

it.runIf(existsSync('/proc/self'))('rejects where no directory can be created', async () => {
  await expect(makeDirectory('/proc/none')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(makeDirectory('/proc/none/deep')).rejects.toMatchObject({ code: 'ENOENT' });
});
