import { chmod, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setVolumeOwnership } from './volume-ownership.ts';

const fsGroup = 4321;

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('fsGroup (needs root on Linux)', () => {
  let scratch: string;
  let volume: string;
  const path = (name: string): string => join(volume, name);
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'coxswain-fsgroup-'));
    volume = join(scratch, 'volume');
    await mkdir(path('dir'), { recursive: true });
    await chmod(volume, 0o755);
    await chmod(path('dir'), 0o700);
    await writeFile(path('dir/file'), '', { mode: 0o600 });
    await writeFile(path('program'), '');
    await chmod(path('program'), 0o4711);
  });
  afterEach(() => rm(scratch, { recursive: true }));

  const ofEntry = async (name: string): Promise<string> => {
    const { gid, mode } = await lstat(path(name));
    return `${gid} ${(mode & 0o7777).toString(8)}`;
  };

  it('gives files and directories to the group, which may write, and directories pass it on', async () => {
    expect(await setVolumeOwnership(volume, { fsGroup })).toEqual({ files: 4, failed: 0, firstError: undefined });
    expect(await ofEntry('')).toBe(`${fsGroup} 2775`);
    expect(await ofEntry('dir')).toBe(`${fsGroup} 2770`);
    expect(await ofEntry('dir/file')).toBe(`${fsGroup} 660`);
    expect(await ofEntry('program')).toBe(`${fsGroup} 4771`);
  });

  it('gives a read-only volume to a group that may read', async () => {
    await setVolumeOwnership(volume, { fsGroup, readOnly: true });
    expect(await ofEntry('dir/file')).toBe(`${fsGroup} 640`);
    expect(await ofEntry('dir')).toBe(`${fsGroup} 2750`);
  });

  it('changes a symbolic link and not what it leads to', async () => {
    await writeFile(join(scratch, 'secret'), '', { mode: 0o600 });
    await symlink(join(scratch, 'secret'), path('link'));
    await symlink(scratch, path('dir/up'));
    const before = await lstat(join(scratch, 'secret'));
    await setVolumeOwnership(volume, { fsGroup });
    expect((await lstat(path('link'))).gid).toBe(fsGroup);
    const after = await lstat(join(scratch, 'secret'));
    expect([after.gid, after.mode]).toEqual([before.gid, before.mode]);
    expect((await lstat(scratch)).gid).not.toBe(fsGroup);
  });

  it('OnRootMismatch looks at the directory only, which is changed last', async () => {
    await setVolumeOwnership(volume, { fsGroup });
    await chmod(path('dir/file'), 0o600);
    const policy = 'OnRootMismatch';
    expect((await setVolumeOwnership(volume, { fsGroup, policy })).files).toBe(0);
    expect(await ofEntry('dir/file')).toBe(`${fsGroup} 600`);
    await chmod(volume, 0o775);
    expect((await setVolumeOwnership(volume, { fsGroup, policy })).files).toBe(4);
    expect(await ofEntry('dir/file')).toBe(`${fsGroup} 660`);
    expect((await setVolumeOwnership(volume, { fsGroup: fsGroup + 1, policy })).files).toBe(4);
    await chmod(path('dir/file'), 0o600);
    expect((await setVolumeOwnership(volume, { fsGroup: fsGroup + 1 })).files).toBe(4);
    expect(await ofEntry('dir/file')).toBe(`${fsGroup + 1} 660`);
  });

  it('an interrupted change leaves a directory that OnRootMismatch sees', async () => {
    const abort = new AbortController();
    const onProgress = (): void => abort.abort(new Error('enough'));
    await expect(setVolumeOwnership(volume, { fsGroup, signal: abort.signal, onProgress })).rejects.toThrow('enough');
    expect(await ofEntry('')).toBe('0 755');
  });
});
