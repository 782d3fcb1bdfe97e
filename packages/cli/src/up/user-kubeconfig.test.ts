import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { modifyKubeConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addContext, removeContext } from './user-kubeconfig.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-kubeconfig-'));
  file = join(directory, 'config');
});
afterEach(() => rm(directory, { recursive: true }));

const admin = (server: string, authority = 'Y2E=') => `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: '${server}', certificate-authority-data: ${authority}}}]
users: [{name: u, user: {client-key-data: a2V5}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
const here = 'https://127.0.0.1:6443';
const work = `apiVersion: v1
kind: Config
clusters: [{name: work, cluster: {server: 'https://work.example.com'}}]
users: []
contexts: [{name: work, context: {cluster: work, user: me}}]
current-context: work
`;
const read = async (path = file) => await parseKubeConfig(await readFile(path, 'utf8'));

describe('the context of a cluster', () => {
  it('comes into a new file, and goes again', async () => {
    expect(await addContext(admin(here), { path: file, env: {} })).toBe(file);
    const { clusters, users, contexts, currentContext } = await read();
    expect(clusters).toEqual(new Map([['cox', { server: here, 'certificate-authority-data': 'Y2E=' }]]));
    expect(users).toEqual(new Map([['cox', { 'client-key-data': 'a2V5' }]]));
    expect(contexts).toEqual(new Map([['cox', { cluster: 'cox', user: 'cox' }]]));
    expect(currentContext).toBe('cox');

    await removeContext(admin(here), { path: file, env: {} });
    expect(await readFile(file, 'utf8')).not.toContain('cox');
  });

  it('comes among others, which stay; none of them becomes the current one when it goes', async () => {
    await writeFile(file, work);
    await addContext(admin(here), { env: { KUBECONFIG: file } });
    expect([...(await read()).contexts.keys()]).toEqual(['work', 'cox']);
    await removeContext(admin(here), { env: { KUBECONFIG: file } });
    expect(await read()).toEqual({ ...(await parseKubeConfig(work)), currentContext: '' });
  });

  it('goes without a word where another is the current one', async () => {
    await addContext(admin(here), { path: file, env: {} });
    await writeFile(file, (await readFile(file, 'utf8')).replace('current-context: cox', 'current-context: work'));
    await removeContext(admin(here), { path: file, env: {} });
    expect((await read()).currentContext).toBe('work');
  });

  it('is renewed when the cluster starts again, with the namespace that its user chose', async () => {
    await addContext(admin(here), { path: file, env: {} });
    await modifyKubeConfig(
      ({ contexts }) => {
        contexts.set('cox', { ...contexts.get('cox'), namespace: 'team' });
      },
      { path: file },
    );
    await addContext(admin('https://127.0.0.1:7000'), { path: file, env: {} });
    const { clusters, contexts } = await read();
    expect(clusters.get('cox')?.server).toBe('https://127.0.0.1:7000');
    expect(contexts.get('cox')).toEqual({ cluster: 'cox', user: 'cox', namespace: 'team' });
  });

  it('stays when it is another cluster’s by now', async () => {
    await addContext(admin(here, 'Zmlyc3Q='), { path: file, env: {} });
    await addContext(admin(here, 'c2Vjb25k'), { path: file, env: {} });
    const before = await readFile(file, 'utf8');
    await removeContext(admin(here, 'Zmlyc3Q='), { path: file, env: {} });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('does not take the place of a cluster elsewhere', async () => {
    const foreign = admin('https://cox.example.com').replaceAll('name: c,', 'name: cox,');
    await writeFile(file, foreign);
    await expect(addContext(admin(here), { path: file, env: {} })).rejects.toThrow(
      `${file} has a cluster cox already, at https://cox.example.com; choose another file with --kubeconfig`,
    );
    expect(await readFile(file, 'utf8')).toBe(foreign);
  });

  it('is written where kubectl would write, of several files', async () => {
    const there = join(directory, 'there');
    await writeFile(there, work);
    expect(await addContext(admin(here), { env: { KUBECONFIG: [file, there].join(delimiter) } })).toBe(there);
    expect((await read(there)).currentContext).toBe('cox');
  });
});
