import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem } from './file-system.ts';
import { removeTree } from './remove-tree.ts';

const isLinux = existsSync('/proc/self/fdinfo');
const canMount = isLinux && process.getuid?.() === 0;
if (!canMount) console.warn('Skipped: tests of removal beside mounts need root on Linux.');

describe.skipIf(!isLinux)('the removal of a directory', () => {
  let scratch: string;
  let tree: string;
  let outside: string;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'coxswain-remove-'));
    [tree, outside] = [join(scratch, 'tree'), join(scratch, 'outside')];
    await mkdir(join(tree, 'a', 'b'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(outside, 'precious'), '');
  });
  afterEach(() => rm(scratch, { recursive: true }));

  it('removes what is in it, and links without what they lead to', async () => {
    await writeFile(join(tree, 'a', 'b', 'file'), '');
    await symlink(outside, join(tree, 'a', 'link'));
    await removeTree(tree, nodeFiles);
    expect(await readdir(scratch)).toEqual(['outside']);
    expect(await readdir(outside)).toEqual(['precious']);
    await removeTree(tree, nodeFiles);
  });

  it('removes a link itself', async () => {
    await symlink(outside, join(scratch, 'link'));
    await removeTree(join(scratch, 'link'), nodeFiles);
    expect(await readdir(outside)).toEqual(['precious']);
  });

  it('does not follow a link that replaces a directory while it is removed', async () => {
    let isSwapped = false;
    const files: FileSystem = {
      ...nodeFiles,
      // The listing has shown the directory: before it is opened, it becomes a link.
      open: async (path, ...rest) => {
        if (String(path).endsWith('/a') && !isSwapped) {
          isSwapped = true;
          await rename(join(tree, 'a'), join(scratch, 'moved'));
          await symlink(outside, join(tree, 'a'));
        }
        return await nodeFiles.open(path, ...rest);
      },
    };
    await removeTree(tree, files);
    expect(isSwapped).toBe(true);
    expect(await readdir(outside)).toEqual(['precious']);
  });

  it('gets to the end of directories that are nested deeper than a path can be', async () => {
    const [inner, outer] = [join(tree, 'x'.repeat(20)), join(tree, 'outer')];
    await mkdir(inner);
    for (let level = 0; level < 300; level++) {
      await mkdir(outer);
      await rename(inner, join(outer, 'x'.repeat(20)));
      await rename(outer, inner);
    }
    await removeTree(tree, nodeFiles);
    expect(await readdir(scratch)).toEqual(['outside']);
  });

  it.skipIf(!canMount)('stops at a mount, of the same file system too, and removes the rest', async () => {
    const run = promisify(execFile);
    await writeFile(join(tree, 'file'), '');
    await run('mount', ['--bind', outside, join(tree, 'a', 'b')]);
    try {
      await expect(removeTree(tree, nodeFiles)).rejects.toThrow(
        `cannot delete directory ${tree}/a/b: it is a mount point`,
      );
      expect(await readdir(outside)).toEqual(['precious']);
      expect(await readdir(tree)).toEqual(['a']);
    } finally {
      await run('umount', [join(tree, 'a', 'b')]);
    }
  });
});
