import { link, lstat, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskUsage, fileSystemUsage } from './disk-usage.ts';
import { makeDirectoryInside } from './make-directory-inside.ts';
import { openInside, pathOfHandle } from './open-inside.ts';

describe.skipIf(process.platform !== 'linux')('inside a volume (Linux)', () => {
  let scratch: string;
  let volume: string;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'coxswain-volume-'));
    volume = join(scratch, 'volume');
    await mkdir(join(volume, 'dir/sub'), { recursive: true });
    await mkdir(join(scratch, 'outside/sub'), { recursive: true });
    await writeFile(join(volume, 'dir/file'), 'inside');
    await writeFile(join(scratch, 'outside/file'), 'secret');
  });
  afterEach(() => rm(scratch, { recursive: true }));

  it.each(['dir/file', './dir//file', 'dir/./file'])('%s is opened', async (path) => {
    const handle = await openInside(volume, path);
    expect(await readFile(pathOfHandle(handle), 'utf8')).toBe('inside');
    await handle.close();
  });

  it('what was opened stays what it is when a symbolic link comes in its place', async () => {
    const handle = await openInside(volume, 'dir');
    await rename(join(volume, 'dir'), join(volume, 'moved'));
    await symlink('../outside', join(volume, 'dir'));
    expect(await readFile(`${pathOfHandle(handle)}/file`, 'utf8')).toBe('inside');
    await handle.close();
    await expect(openInside(volume, 'dir/file')).rejects.toThrow(/cannot open|unexpected symlink/);
  });

  it.each([
    ['..', 'outside of allowed base'],
    ['dir/../../outside', 'outside of allowed base'],
    ['dir/..', 'outside of allowed base'],
    ['/etc', 'outside of allowed base'],
    ['a\0b', 'outside of allowed base'],
    ['dir/none', 'ENOENT'],
    ['dir/file/x', 'ENOTDIR'],
  ])('%j is refused: %s', async (path, message) => {
    await expect(openInside(volume, path)).rejects.toThrow(message);
    await expect(makeDirectoryInside(volume, path === 'dir/none' ? '../x' : path, 0o755)).rejects.toThrow();
    expect(await lstat(join(scratch, 'x')).catch(() => 'none')).toBe('none');
  });

  it.each(['link', 'dir/link', 'link/sub'])(
    'a symbolic link is refused in %s, at the end and before it',
    async (path) => {
      await symlink(join(scratch, 'outside'), join(volume, 'link'));
      await symlink('../../outside', join(volume, 'dir/link'));
      await expect(openInside(volume, path)).rejects.toThrow('unexpected symlink found');
      await expect(makeDirectoryInside(volume, `${path}/made`, 0o755)).rejects.toThrow('unexpected symlink found');
      expect(await lstat(join(scratch, 'outside/made')).catch(() => 'none')).toBe('none');
    },
  );

  it('a base that is a symbolic link is refused', async () => {
    await symlink('volume', join(scratch, 'alias'));
    await expect(openInside(join(scratch, 'alias'), 'dir')).rejects.toThrow('cannot open directory');
  });

  it('missing directories are made with the mode whatever the umask, and existing ones stay as they are', async () => {
    const umask = process.umask(0o077);
    try {
      await makeDirectoryInside(volume, 'dir/new/deep', 0o2775);
    } finally {
      process.umask(umask);
    }
    expect((await lstat(join(volume, 'dir/new'))).mode & 0o7777).toBe(0o2775);
    expect((await lstat(join(volume, 'dir/new/deep'))).mode & 0o7777).toBe(0o2775);
    expect((await lstat(join(volume, 'dir'))).mode & 0o7777).not.toBe(0o2775);
    await makeDirectoryInside(volume, 'dir/new/deep', 0o700);
    expect((await lstat(join(volume, 'dir/new/deep'))).mode & 0o7777).toBe(0o2775);
    await expect(makeDirectoryInside(volume, 'dir/file', 0o755)).rejects.toThrow('not a directory');
  });

  it('disk usage counts a file with two names once, follows no link, and counts each inode', async () => {
    await writeFile(join(volume, 'big'), Buffer.alloc(1 << 20, 1));
    await link(join(volume, 'big'), join(volume, 'dir/also-big'));
    await writeFile(join(scratch, 'outside/huge'), Buffer.alloc(4 << 20, 1));
    await symlink(join(scratch, 'outside'), join(volume, 'link'));
    const { bytes, inodes } = await diskUsage(volume);
    // volume, dir, dir/sub, dir/file, big, link
    expect(inodes).toBe(6);
    expect(bytes).toBeGreaterThanOrEqual(1 << 20);
    expect(bytes).toBeLessThan(2 << 20);
  });

  it('disk usage of many files can be aborted', async () => {
    await expect(diskUsage(volume, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('disk usage does not run out of descriptors or stack in a very deep tree', async () => {
    let path = join(volume, 'deep');
    for (let depth = 0; depth < 300; depth++) path = join(path, 'd');
    await mkdir(path, { recursive: true });
    expect((await diskUsage(volume)).inodes).toBe(4 + 301);
  });

  it('a file system tells its size', async () => {
    const { capacityBytes, usedBytes, availableBytes, inodes, inodesUsed, inodesFree } = await fileSystemUsage(volume);
    expect(usedBytes + availableBytes).toBeLessThanOrEqual(capacityBytes);
    expect(availableBytes).toBeGreaterThan(0);
    expect(inodesUsed + inodesFree).toBe(inodes);
  });
});
