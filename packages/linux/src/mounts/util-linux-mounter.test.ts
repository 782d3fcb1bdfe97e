import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HelperCommands } from '../commands/index.ts';
import { openInside, pathOfDescriptor } from '../files/index.ts';
import { MountError } from './mounter.ts';
import { canMount, scratchMount } from './scratch-mounts.test-data.ts';
import { UtilLinuxMounter } from './util-linux-mounter.ts';

describe.skipIf(!canMount)('mounts (need root on Linux)', () => {
  const commands = new HelperCommands();
  const mounter = new UtilLinuxMounter(commands);
  let scratch: Awaited<ReturnType<typeof scratchMount>>;
  let directory: string;
  const path = (name: string): string => join(directory, name);

  beforeEach(async () => {
    scratch = await scratchMount();
    directory = scratch.directory;
    await mkdir(path('a'));
    await mkdir(path('b'));
    await writeFile(path('a/file'), 'of a');
  });
  afterEach(() => scratch.remove());
  afterAll(() => commands.close());

  it('a tmpfs has the options that it was given, and is gone after unmounting', async () => {
    await mounter.mount({ source: 'tmpfs', target: path('b'), type: 'tmpfs', options: ['size=1m', 'noexec'] });
    const mount = (await mounter.list()).find(({ mountPoint }) => mountPoint === path('b'));
    expect(mount).toMatchObject({ type: 'tmpfs', options: expect.arrayContaining(['noexec']) });
    expect(mount?.superOptions).toContain('size=1024k');
    await mounter.unmount(path('b'));
    expect(await mounter.isMountPoint(path('b'))).toBe(false);
  });

  it('a bind mount shows a directory or a file at another place', async () => {
    await mounter.bindMount({ source: path('a'), target: path('b') });
    expect(await readFile(path('b/file'), 'utf8')).toBe('of a');
    await writeFile(path('target'), '');
    await mounter.bindMount({ source: path('a/file'), target: path('target') });
    expect(await readFile(path('target'), 'utf8')).toBe('of a');
  });

  it('a read-only bind mount leaves its source writable, and can be made writable', async () => {
    await mounter.bindMount({ source: path('a'), target: path('b'), readOnly: true });
    await expect(writeFile(path('b/file'), 'x')).rejects.toThrow('EROFS');
    await writeFile(path('a/file'), 'changed');
    await mounter.remount(path('b'), ['rw']);
    await writeFile(path('b/file'), 'through b');
  });

  it('a recursive bind mount has the mounts below, with the propagation that was asked for', async () => {
    await mounter.makeShared(path('a'));
    await mkdir(path('a/sub'));
    await mounter.bindMount({ source: path('a'), target: path('b'), recursive: true, propagation: 'rslave' });
    // What is mounted later arrives too.
    await mounter.mount({ source: 'tmpfs', target: path('a/sub'), type: 'tmpfs' });
    expect(await mounter.isMountPoint(path('b/sub'))).toBe(true);
    await mounter.unmount(path('a/sub'));
    expect(await mounter.isMountPoint(path('b/sub'))).toBe(false);
    const mount = (await mounter.list()).find(({ mountPoint }) => mountPoint === path('b'));
    expect(mount?.propagation).toEqual([expect.stringMatching(/^master:/)]);
  });

  it('a directory that was opened is mounted, though a symbolic link has come in its place', async () => {
    await mkdir(path('volume/inside'), { recursive: true });
    await writeFile(path('volume/inside/file'), 'inside');
    const handle = await openInside(path('volume'), 'inside');
    await rename(path('volume/inside'), path('volume/moved'));
    await symlink(path('a'), path('volume/inside'));
    await mounter.bindMount({ source: pathOfDescriptor(handle), target: path('b') });
    await handle.close();
    expect(await readFile(path('b/file'), 'utf8')).toBe('inside');
  });

  it('a symbolic link to a mount point is none, and is not unmounted', async () => {
    await mounter.bindMount({ source: path('a'), target: path('b') });
    await symlink(path('b'), path('link'));
    expect(await mounter.isMountPoint(path('link'))).toBe(false);
    await mounter.unmount(path('link'));
    expect(await mounter.isMountPoint(path('b'))).toBe(true);
    // Links above the last component are resolved.
    await symlink(directory, path('here'));
    expect(await mounter.isMountPoint(path('here/b'))).toBe(true);
    await mounter.unmount(path('here/b'));
    expect(await mounter.isMountPoint(path('b'))).toBe(false);
  });

  it('strange names are found and unmounted', async () => {
    const strange = path('with space,comma\nline\\040 \'quote" $(id)');
    await mkdir(strange);
    await mounter.bindMount({ source: path('a'), target: strange });
    expect(await mounter.isMountPoint(strange)).toBe(true);
    await mounter.unmount(strange);
    expect(await mounter.isMountPoint(strange)).toBe(false);
  });

  it('unmounting what is not mounted, or does not exist, does nothing', async () => {
    await mounter.unmount(path('a'));
    await mounter.unmount(path('none/at/all'));
    expect(await mounter.isMountPoint(path('none/at/all'))).toBe(false);
  });

  it('mounts below a directory come in an order in which they can be unmounted', async () => {
    await mounter.mount({ source: 'tmpfs', target: path('a'), type: 'tmpfs' });
    await mkdir(path('a/deep'));
    await mounter.mount({ source: 'tmpfs', target: path('a/deep'), type: 'tmpfs' });
    await mkdir(path('ab'));
    await mounter.mount({ source: 'tmpfs', target: path('ab'), type: 'tmpfs' });
    const points = (await mounter.mountsBelow(path('a'))).map(({ mountPoint }) => mountPoint);
    expect(points).toEqual([path('a/deep')]);
    for (const { mountPoint } of await mounter.mountsBelow(directory)) await mounter.unmount(mountPoint);
    expect(await mounter.mountsBelow(directory)).toEqual([]);
    expect(await mounter.mountsBelow(path('none/x'))).toEqual([]);
  });

  it('a mount that is in use is unmounted lazily only', async () => {
    await mounter.mount({ source: 'tmpfs', target: path('b'), type: 'tmpfs' });
    await writeFile(path('b/open'), '');
    const handle = await openInside(path('b'), 'open');
    await expect(mounter.unmount(path('b'))).rejects.toThrow(/^unmount failed: exit status 32\n.*\nOutput: .*busy/s);
    await mounter.unmount(path('b'), { lazy: true });
    expect(await mounter.isMountPoint(path('b'))).toBe(false);
    await handle.close();
  });

  it('a failure has the words of the program in the form of Kubernetes’ events', async () => {
    const failed = mounter.mount({ source: '/dev/none', target: path('b'), type: 'nosuchfs', options: ['ro'] });
    await expect(failed).rejects.toThrow(MountError);
    await expect(failed).rejects.toThrow(
      `mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nosuchfs -o ro /dev/none ${path('b')}\nOutput: mount: `,
    );
    expect(await mounter.isMountPoint(path('b'))).toBe(false);
  });

  it('an aborted call does nothing', async () => {
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(mounter.bindMount({ source: path('a'), target: path('b') }, aborted)).rejects.toThrow('enough');
    expect(await mounter.isMountPoint(path('b'))).toBe(false);
    await rm(path('b'), { recursive: true });
  });
});
