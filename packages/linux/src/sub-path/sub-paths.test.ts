import { chmod, lstat, mkdir, readFile, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HelperCommands } from '../commands/index.ts';
import { type BindMountRequest, UtilLinuxMounter } from '../mounts/index.ts';
import { canMount, scratchMount } from '../mounts/scratch-mounts.test-data.ts';
import { type SubPath, SubPaths } from './sub-paths.ts';

/** Lets a test act as a container that changes the volume in the worst moment: after the checks, before the mount. */
class RacedMounter extends UtilLinuxMounter {
  beforeBind: () => Promise<void> = async () => {};

  override async bindMount(request: BindMountRequest, signal?: AbortSignal): Promise<void> {
    await this.beforeBind();
    await super.bindMount(request, signal);
  }
}

describe.skipIf(!canMount)('subPath (needs root on Linux)', () => {
  const commands = new HelperCommands();
  let mounter: RacedMounter;
  let subPaths: SubPaths;
  let scratch: Awaited<ReturnType<typeof scratchMount>>;
  let volume: string;
  let pod: string;

  beforeEach(async () => {
    mounter = new RacedMounter(commands);
    subPaths = new SubPaths(mounter);
    scratch = await scratchMount();
    volume = join(scratch.directory, 'volume');
    pod = join(scratch.directory, 'pod');
    await mkdir(join(volume, 'dir/sub'), { recursive: true });
    await mkdir(join(scratch.directory, 'outside/sub'), { recursive: true });
    await mkdir(pod);
    await writeFile(join(volume, 'dir/file'), 'inside');
    await writeFile(join(scratch.directory, 'outside/file'), 'secret');
  });
  afterEach(() => scratch.remove());
  afterAll(() => commands.close());

  const request = (subPath: string, more: Partial<SubPath> = {}): SubPath => ({
    volumePath: volume,
    subPath,
    podDirectory: pod,
    volumeName: 'data',
    containerName: 'web',
    volumeMountIndex: 0,
    ...more,
  });
  const mounts = async (): Promise<number> => (await mounter.mountsBelow(scratch.directory)).length;

  it('mounts a directory at a place of the pod, and writing there writes to the volume', async () => {
    const target = await subPaths.prepare(request('dir'));
    expect(target).toBe(join(pod, 'volume-subpaths/data/web/0'));
    expect(await readFile(join(target, 'file'), 'utf8')).toBe('inside');
    await writeFile(join(target, 'new'), 'x');
    expect(await readFile(join(volume, 'dir/new'), 'utf8')).toBe('x');
  });

  it('mounts a file, and a link inside the volume as configMaps have them', async () => {
    await mkdir(join(volume, '..2026_01'));
    await writeFile(join(volume, '..2026_01/key'), 'value');
    await symlink('..2026_01', join(volume, '..data'));
    await symlink('..data/key', join(volume, 'key'));
    expect(await readFile(await subPaths.prepare(request('key')), 'utf8')).toBe('value');
    expect(await readFile(await subPaths.prepare(request('dir/file', { volumeMountIndex: 1 })), 'utf8')).toBe('inside');
  });

  it('mounts the same once, and what has changed again', async () => {
    await subPaths.prepare(request('dir'));
    await subPaths.prepare(request('dir'));
    expect(await mounts()).toBe(1);
    await rename(join(volume, 'dir'), join(volume, 'old'));
    await mkdir(join(volume, 'dir'));
    await writeFile(join(volume, 'dir/file'), 'new');
    expect(await readFile(join(await subPaths.prepare(request('dir')), 'file'), 'utf8')).toBe('new');
    expect(await mounts()).toBe(1);
    // From a directory to a file.
    await rm(join(volume, 'dir'), { recursive: true });
    await writeFile(join(volume, 'dir'), 'a file now');
    expect(await readFile(await subPaths.prepare(request('dir')), 'utf8')).toBe('a file now');
  });

  it.each([
    ['an absolute link out of the volume', (outside: string) => outside, 'not within volume path'],
    ['a relative link out of the volume', () => '../outside', 'not within volume path'],
    ['a link to the root', () => '/', 'not within volume path'],
    ['a link that leads nowhere', () => '/nowhere', 'error resolving symlinks'],
    ['a link to itself', () => 'link', 'error resolving symlinks'],
  ])('refuses %s, and mounts nothing', async (_, target, message) => {
    await symlink(target(join(scratch.directory, 'outside')), join(volume, 'link'));
    await expect(subPaths.prepare(request('link'))).rejects.toThrow(message);
    await expect(subPaths.prepare(request('link/sub'))).rejects.toThrow(
      /not within volume path|error resolving symlinks/,
    );
    expect(await mounts()).toBe(0);
  });

  it.each(['..', '../outside', 'dir/../../outside', '/etc', 'dir/..'])('refuses %s', async (path) => {
    await expect(subPaths.prepare(request(path))).rejects.toThrow('outside of allowed base');
    await expect(subPaths.makeDirectory(volume, path)).rejects.toThrow('outside of allowed base');
    expect(await mounts()).toBe(0);
  });

  it('mounts what was checked, though a container puts a symbolic link in its place meanwhile', async () => {
    mounter.beforeBind = async () => {
      await rename(join(volume, 'dir'), join(volume, 'moved'));
      await symlink('../outside', join(volume, 'dir'));
    };
    const target = await subPaths.prepare(request('dir'));
    expect(await readFile(join(target, 'file'), 'utf8')).toBe('inside');
  });

  it('never mounts anything outside, however often a container swaps a directory for a link', async () => {
    let isSwapping = true;
    let round = 0;
    const swapping = (async () => {
      while (isSwapping) {
        await rename(join(volume, 'dir'), join(volume, 'aside'));
        await symlink('../outside', join(volume, 'dir'));
        await unlink(join(volume, 'dir'));
        await rename(join(volume, 'aside'), join(volume, 'dir'));
        // Long enough for some to succeed.
        if (round++ % 2 === 0) await mounter.list();
      }
    })();
    let prepared = 0;
    while (prepared < 10) {
      const target = await subPaths.prepare(request('dir')).catch(() => undefined);
      if (target === undefined) continue;
      prepared++;
      expect(await readFile(join(target, 'file'), 'utf8')).toBe('inside');
      await subPaths.clean(pod, 'data');
    }
    isSwapping = false;
    await swapping;
    expect(await mounts()).toBe(0);
  });

  it('leaves nothing behind when the mount fails', async () => {
    mounter.beforeBind = async () => {
      throw new Error('no more mounts');
    };
    await expect(subPaths.prepare(request('dir'))).rejects.toThrow(/^error mounting .*: no more mounts$/);
    await subPaths.clean(pod, 'data');
    expect(await lstat(join(pod, 'volume-subpaths')).catch(() => 'none')).toBe('none');
  });

  it('makes a missing directory with the mode of the volume', async () => {
    await chmod(volume, 0o2770);
    await subPaths.makeDirectory(volume, 'dir/new/deep');
    expect((await lstat(join(volume, 'dir/new/deep'))).mode & 0o7777).toBe(0o2770);
    // Again, and where a file is: nothing happens.
    await subPaths.makeDirectory(volume, 'dir/new/deep');
    await subPaths.makeDirectory(volume, 'dir/file');
  });

  it('makes a missing directory behind a link that stays inside, and never outside', async () => {
    await symlink('dir', join(volume, 'alias'));
    await subPaths.makeDirectory(volume, 'alias/made');
    expect((await lstat(join(volume, 'dir/made'))).isDirectory()).toBe(true);
    await symlink('../outside', join(volume, 'out'));
    await expect(subPaths.makeDirectory(volume, 'out/made')).rejects.toThrow('not within volume path');
    await symlink('/nowhere', join(volume, 'dangling'));
    await expect(subPaths.makeDirectory(volume, 'dangling/made')).rejects.toThrow('unexpected symlink found');
    expect(await lstat(join(scratch.directory, 'outside/made')).catch(() => 'none')).toBe('none');
    await expect(subPaths.makeDirectory(volume, 'dir/file/made')).rejects.toThrow('ENOTDIR');
  });

  it('clean takes a volume’s mounts of all containers away, and never content', async () => {
    await subPaths.prepare(request('dir'));
    await subPaths.prepare(request('dir/file', { volumeMountIndex: 3 }));
    await subPaths.prepare(request('dir/sub', { containerName: 'sidecar' }));
    await subPaths.prepare(request('dir', { volumeName: 'other' }));
    await subPaths.clean(pod, 'data');
    expect(await mounts()).toBe(1);
    expect(await lstat(join(pod, 'volume-subpaths/data')).catch(() => 'none')).toBe('none');
    expect(await readFile(join(volume, 'dir/file'), 'utf8')).toBe('inside');
    await subPaths.clean(pod, 'other');
    expect(await lstat(join(pod, 'volume-subpaths')).catch(() => 'none')).toBe('none');
    await subPaths.clean(pod, 'other');
    expect((await stat(join(volume, 'dir/sub'))).isDirectory()).toBe(true);
  });
});
