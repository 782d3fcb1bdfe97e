import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterDirectory } from './cluster-directory.ts';

let scratch: string;
let directory: ClusterDirectory;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cox-directory-'));
  directory = new ClusterDirectory(join(scratch, 'cluster'));
});
afterEach(() => rm(scratch, { recursive: true }));

const state = {
  name: 'dev',
  url: 'https://127.0.0.1:1',
  pid: 1,
  memory: false,
  startedAt: '2026-01-01T00:00:00Z',
  kubeconfig: '/k',
  context: 'cox-dev',
};

describe('the directory of a cluster', () => {
  it.each([
    ['cox', { XDG_DATA_HOME: '/data', HOME: '/home/me' }, '/data/coxswain/cluster'],
    ['cox', { XDG_DATA_HOME: '', HOME: '/home/me' }, '/home/me/.local/share/coxswain/cluster'],
    ['dev', { XDG_DATA_HOME: '/data' }, '/data/coxswain/clusters/dev'],
  ])('with the name %s has its default path with %j', (name, env, path) => {
    expect(ClusterDirectory.pathOf(name, env)).toBe(path);
  });

  it('is listed with those of other names', async () => {
    const env = { XDG_DATA_HOME: scratch };
    expect(await ClusterDirectory.names(env)).toEqual([]);
    for (const name of ['dev', 'cox', 'b'])
      await new ClusterDirectory(ClusterDirectory.pathOf(name, env)).write(state, '');
    const held = await new ClusterDirectory(ClusterDirectory.pathOf('a', env)).claim();
    expect(await ClusterDirectory.names(env)).toEqual(['cox', 'a', 'b', 'dev']);
    await held.release();
    expect(await ClusterDirectory.names(env)).toEqual(['cox', 'b', 'dev']);
  });

  it('is locked by one process at a time, whose id can be read', async () => {
    expect(await directory.holder()).toBeUndefined();
    const lock = await directory.claim();
    expect(await directory.holder()).toBe(process.pid);
    await expect(directory.claim()).rejects.toThrow(`${directory.path} is in use by this process`);
    await lock.release();
    expect(await directory.holder()).toBeUndefined();
    await (await directory.claim()).release();
  });

  it('stores the state of a cluster, readable only for its owner', async () => {
    expect(await directory.state()).toBeUndefined();
    expect(await directory.isEmpty()).toBe(true);
    await directory.write(state, 'secret');
    expect(await directory.state()).toEqual(state);
    expect(await directory.readAdminKubeconfig()).toBe('secret');
    expect(await directory.isEmpty()).toBe(false);
    expect((await stat(directory.adminKubeconfig)).mode & 0o777).toBe(0o600);
    await directory.unwrite();
    expect(await directory.state()).toBeUndefined();
    expect(await directory.readAdminKubeconfig()).toBeUndefined();
  });

  it.each(['', '{"url": "htt', 'null', '[1]', '{"url":7,"memory":false,"startedAt":"","kubeconfig":""}'])(
    'reports a damaged state file: %j',
    async (text) => {
      await directory.write(state, 'secret');
      await writeFile(join(directory.path, 'cluster.json'), text);
      expect(await directory.state()).toBe('damaged');
    },
  );

  it('is cleaned of the unfinished files of a killed process by the next one', async () => {
    await directory.write(state, 'secret');
    for (const name of ['admin.kubeconfig.new', 'cluster.json.new']) await writeFile(join(directory.path, name), 'sec');
    await directory.unwrite();
    expect(await readdir(directory.path)).toEqual([]);
    await writeFile(join(directory.path, 'admin.kubeconfig.new'), 'sec');
    await directory.write(state, 'secret');
    expect((await readdir(directory.path)).sort()).toEqual(['admin.kubeconfig', 'cluster.json']);
  });

  it('belongs to the default cluster when a version without cluster names wrote it', async () => {
    const { name: _, context: __, pid: ___, ...old } = state;
    await directory.write(state, 'secret');
    await writeFile(join(directory.path, 'cluster.json'), JSON.stringify(old));
    expect(await directory.state()).toEqual({ ...old, name: 'cox', context: 'cox', pid: 0 });
  });

  it('can be cleared while it is locked, and locked again', async () => {
    const lock = await directory.claim();
    await directory.write(state, 'secret');
    await directory.clear();
    await lock.release();
    await expect(stat(directory.path)).rejects.toThrow('ENOENT');
    await (await directory.claim()).release();
  });
});
