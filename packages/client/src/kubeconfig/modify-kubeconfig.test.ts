import { access, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { loadKubeConfig } from './load-kubeconfig.ts';
import { modifyKubeConfig } from './modify-kubeconfig.ts';
import { kubeconfigText, tempDir } from './temp-dir.test-data.ts';

const several = (...files: string[]) => ({ env: { KUBECONFIG: files.join(delimiter) } });

describe('modifyKubeConfig', () => {
  it('creates a file with mode 0600, and its directory', async () => {
    const homeDir = await tempDir();
    await modifyKubeConfig(
      (config) => {
        config.clusters.set('k', { server: 'https://x' });
        config.currentContext = 'c';
      },
      { homeDir, env: {} },
    );
    const path = join(homeDir, '.kube/config');
    expect(await readFile(path, 'utf8')).toBe(
      'apiVersion: v1\nclusters:\n- cluster:\n    server: https://x\n  name: k\ncontexts: []\ncurrent-context: c\nkind: Config\nusers: []\n',
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(homeDir, '.kube'))).toEqual(['config']);
  });

  it.runIf(process.platform === 'linux')('reports where no file can be created', async () => {
    await expect(modifyKubeConfig(() => {}, { path: '/proc/none/deep/config' })).rejects.toThrow(
      'mkdir /proc/none: no such file or directory',
    );
  });

  it('adds and removes the entries of a cluster, and keeps everything else', async () => {
    const text = `${kubeconfigText('x-cluster: 1', 'token: t')}x-top: {a: [1]}\nextensions: [{name: e, extension: {b: 2}}]\n`;
    const path = join(await tempDir({ a: text }), 'a');
    await modifyKubeConfig(() => {}, { path });
    expect(await readFile(path, 'utf8')).toBe(text);
    await modifyKubeConfig(
      (config) => {
        config.clusters.set('new', { server: 'https://new' });
        config.users.set('new', { token: 'next' });
        config.contexts.set('new', { cluster: 'new', user: 'new' });
        config.currentContext = 'new';
      },
      { path },
    );
    const between = await readFile(path, 'utf8');
    for (const kept of [
      'x-cluster: 1',
      'unknown-field: 1',
      'x-top:',
      'token: t',
      'token: next',
      'current-context: new',
      'b: 2',
    ])
      expect(between).toContain(kept);
    await modifyKubeConfig(
      (config) => {
        for (const section of [config.clusters, config.users, config.contexts]) section.delete('new');
        config.currentContext = 'c';
      },
      { path },
    );
    const after = await readFile(path, 'utf8');
    expect(after).not.toMatch(/new|next/);
    expect(after).toContain('x-cluster: 1');
  });

  it('writes an entry to the file it is from, and new ones to the first that exists', async () => {
    const dir = await tempDir({
      b: 'users: [{name: u, user: {token: b}}]\n',
      c: 'current-context: x\nusers: [{name: u, user: {token: hidden}}, {name: v, user: {token: c}}]\n',
    });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(dir, name)) as [string, string, string];
    await modifyKubeConfig(
      (config) => {
        config.users.set('u', { token: 'changed' });
        config.users.delete('v');
        config.users.set('new', { token: 'new' });
        config.currentContext = '';
      },
      several(a, b, c),
    );
    await expect(access(a)).rejects.toThrow();
    expect((await loadKubeConfig({ path: b })).users).toEqual(
      new Map([
        ['u', { token: 'changed' }],
        ['new', { token: 'new' }],
      ]),
    );
    const last = await loadKubeConfig({ path: c });
    expect(last.users).toEqual(new Map([['u', { token: 'hidden' }]]));
    expect(last.currentContext).toBe('');
  });

  it('creates the last of several files when none exists', async () => {
    const dir = await tempDir();
    await modifyKubeConfig((config) => void config.clusters.set('k', {}), several(join(dir, 'a'), join(dir, 'b')));
    expect(await readdir(dir)).toEqual(['b']);
  });

  it('keeps the mode of a file, and a symbolic link to it', async () => {
    const dir = await tempDir({ real: '' });
    const path = join(dir, 'link');
    await writeFile(join(dir, 'real'), kubeconfigText(), { mode: 0o644 });
    await symlink(join(dir, 'real'), path);
    await modifyKubeConfig((config) => void config.users.set('v', {}), { path });
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    expect([...(await loadKubeConfig({ path: join(dir, 'real') })).users.keys()]).toEqual(['u', 'v']);
  });

  it('writes relative paths with `relativizePaths`', async () => {
    const dir = await tempDir();
    const path = join(dir, 'a');
    await modifyKubeConfig(
      (config) => {
        config.clusters.set('k', { 'certificate-authority': join(dir, 'pki/ca.crt') });
        config.users.set('u', { 'client-key': '/elsewhere/key', tokenFile: join(dir, 't') });
      },
      { path, relativizePaths: true },
    );
    const text = await readFile(path, 'utf8');
    for (const line of ['certificate-authority: pki/ca.crt', 'client-key: /elsewhere/key', 'tokenFile: t'])
      expect(text).toContain(line);
  });

  it('loses no concurrent change', async () => {
    const path = join(await tempDir(), 'a');
    const names = Array.from({ length: 8 }, (_, i) => `n${i}`);
    await Promise.all(
      names.map((name) => modifyKubeConfig((config) => void config.clusters.set(name, { server: name }), { path })),
    );
    expect([...(await loadKubeConfig({ path })).clusters.keys()].sort()).toEqual(names);
  });

  it('waits for the holder of the lock, up to the timeout', async () => {
    const path = join(await tempDir({ 'a.lock': '' }), 'a');
    const clock = new FakeClock();
    let isDone = false;
    const done = modifyKubeConfig(() => {}, { path, clock, lockTimeoutMs: 1000 })
      .catch((error: Error) => error.message)
      .finally(() => {
        isDone = true;
      });
    while (!isDone) {
      // Each try accesses the real disk, which takes real time.
      await Promise.race([clock.whenWaiting(), done]);
      await clock.advance(50);
    }
    expect(await done).toBe(`open ${path}.lock: file exists`);
    expect(clock.pending).toBe(0);
  });

  it('writes nothing when a file is not a kubeconfig or `modify` throws, and unlocks', async () => {
    const dir = await tempDir({ a: kubeconfigText(), b: 'kind: Pod\n' });
    const files = [join(dir, 'a'), join(dir, 'b')];
    await expect(modifyKubeConfig((config) => config.clusters.clear(), several(...files))).rejects.toThrow(
      'no kind "Pod"',
    );
    const failing = modifyKubeConfig(
      () => {
        throw new Error('no');
      },
      { path: files[0]! },
    );
    await expect(failing).rejects.toThrow('no');
    expect(await readFile(files[0]!, 'utf8')).toBe(kubeconfigText());
    expect(await readdir(dir)).toEqual(['a', 'b']);
  });
});
