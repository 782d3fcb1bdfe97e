import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { modifyKubeConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addContext, leaveContext, removeContext } from './user-kubeconfig.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-kubeconfig-'));
  file = join(directory, 'config');
});
afterEach(() => rm(directory, { recursive: true }));

const adminKubeconfig = (server: string, authority = 'Y2E=') => `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: '${server}', certificate-authority-data: ${authority}}}]
users: [{name: u, user: {client-certificate-data: ${authority}, client-key-data: a2V5}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
/** Returns an entry of the cluster at an address. */
const admin = (server: string, authority?: string, name = 'cox') => ({
  name,
  adminKubeconfig: adminKubeconfig(server, authority),
});
const here = 'https://127.0.0.1:6443';
const work = `apiVersion: v1
kind: Config
clusters: [{name: work, cluster: {server: 'https://work.example.com'}}]
users: []
contexts: [{name: work, context: {cluster: work, user: me}}]
current-context: work
`;
/** The extension with which a context records the one that was current before. */
const after = (name: string) => [{ name: 'coxswain.dev/previous-context', extension: { name } }];
const read = async (path = file) => await parseKubeConfig(await readFile(path, 'utf8'));

describe('the context of a cluster', () => {
  it('is added to a new file, and removed again', async () => {
    expect(await addContext(admin(here), { path: file, env: {} })).toBe(file);
    const { clusters, users, contexts, currentContext } = await read();
    expect(clusters).toEqual(new Map([['cox', { server: here, 'certificate-authority-data': 'Y2E=' }]]));
    expect(users).toEqual(new Map([['cox', { 'client-certificate-data': 'Y2E=', 'client-key-data': 'a2V5' }]]));
    expect(contexts).toEqual(new Map([['cox', { cluster: 'cox', user: 'cox', extensions: after('') }]]));
    expect(currentContext).toBe('cox');

    await removeContext(admin(here), { path: file, env: {} });
    expect(await readFile(file, 'utf8')).not.toContain('cox');
  });

  it('is added to others, which stay; the previous context becomes current again when it is removed', async () => {
    await writeFile(file, work);
    await addContext(admin(here), { env: { KUBECONFIG: file } });
    expect([...(await read()).contexts.keys()]).toEqual(['work', 'cox']);
    await removeContext(admin(here), { env: { KUBECONFIG: file } });
    expect(await read()).toEqual(await parseKubeConfig(work));
  });

  it('is removed without changing the current context when another one is current', async () => {
    await addContext(admin(here), { path: file, env: {} });
    await writeFile(file, (await readFile(file, 'utf8')).replace('current-context: cox', 'current-context: work'));
    await removeContext(admin(here), { path: file, env: {} });
    expect((await read()).currentContext).toBe('work');
  });

  it('is updated when the cluster starts again, and keeps the namespace chosen by the user', async () => {
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
    expect(contexts.get('cox')).toEqual({ cluster: 'cox', user: 'cox', namespace: 'team', extensions: after('') });
  });

  it('is not removed when it belongs to another cluster now', async () => {
    await addContext(admin(here, 'Zmlyc3Q='), { path: file, env: {} });
    await addContext(admin(here, 'c2Vjb25k'), { path: file, env: {} });
    const before = await readFile(file, 'utf8');
    await removeContext(admin(here, 'Zmlyc3Q='), { path: file, env: {} });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('does not replace a remote cluster of the same name', async () => {
    const foreign = adminKubeconfig('https://cox.example.com').replaceAll('name: c,', 'name: cox,');
    await writeFile(file, foreign);
    await expect(addContext(admin(here), { path: file, env: {} })).rejects.toThrow(
      `${file} has a cluster cox already, at https://cox.example.com; choose another file with --kubeconfig`,
    );
    expect(await readFile(file, 'utf8')).toBe(foreign);
  });

  it('is written to the file that kubectl would write, of several files', async () => {
    const there = join(directory, 'there');
    await writeFile(there, work);
    expect(await addContext(admin(here), { env: { KUBECONFIG: [file, there].join(delimiter) } })).toBe(there);
    expect((await read(there)).currentContext).toBe('cox');
  });

  it('is recognised by its extension, at any address', async () => {
    await addContext(admin('https://192.168.0.7:6443'), { path: file, env: {} });
    await addContext(admin('https://192.168.0.7:7000'), { path: file, env: {} });
    expect((await read()).clusters.get('cox')?.server).toBe('https://192.168.0.7:7000');
  });

  it('stays when the cluster stops, and the previous context becomes current again', async () => {
    await writeFile(file, work);
    await addContext(admin(here), { path: file, env: {} });
    await leaveContext(admin(here), { path: file, env: {} });
    const { contexts, clusters, currentContext } = await read();
    expect([[...contexts.keys()], [...clusters.keys()], currentContext]).toEqual([
      ['work', 'cox'],
      ['work', 'cox'],
      'work',
    ]);
  });

  it('keeps the recorded previous context when it is still current after its process was killed', async () => {
    await writeFile(file, work);
    await addContext(admin(here), { path: file, env: {} });
    await addContext(admin('https://127.0.0.1:7000'), { path: file, env: {} });
    await removeContext(admin('https://127.0.0.1:7000'), { path: file, env: {} });
    expect(await read()).toEqual(await parseKubeConfig(work));
  });

  it('does not change a context that the user has chosen or deleted since', async () => {
    await writeFile(file, work);
    await addContext(admin(here), { path: file, env: {} });
    await modifyKubeConfig(({ contexts }) => void contexts.delete('work'), { path: file });
    await removeContext(admin(here), { path: file, env: {} });
    expect((await read()).currentContext).toBe('');
  });

  it('does not remove a cluster or a user that was changed since', async () => {
    await addContext(admin(here), { path: file, env: {} });
    await modifyKubeConfig(({ users }) => void users.set('cox', { token: 'mine' }), { path: file });
    await removeContext(admin(here), { path: file, env: {} });
    const { clusters, users, contexts } = await read();
    expect([clusters.size, [...users], contexts.size]).toEqual([0, [['cox', { token: 'mine' }]], 0]);

    await addContext(admin(here), { path: file, env: {} });
    await modifyKubeConfig(
      ({ clusters }) => void clusters.set('cox', { ...clusters.get('cox'), server: 'https://tunnel' }),
      { path: file },
    );
    const before = await readFile(file, 'utf8');
    await removeContext(admin(here), { path: file, env: {} });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('does not create a deleted file again', async () => {
    await removeContext(admin(here), { path: file, env: {} });
    await leaveContext(admin(here), { path: file, env: {} });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  const [first, second] = [admin(here, 'Zmlyc3Q='), admin('https://127.0.0.1:7000', 'c2Vjb25k', 'cox-dev')];
  it.each([
    ['the first stops first', [first, second]],
    ['the second stops first', [second, first]],
  ])('after two clusters, the context from before both becomes current again: %s', async (_, [one, other]) => {
    await writeFile(file, work);
    await addContext(first, { path: file, env: {} });
    await addContext(second, { path: file, env: {} });
    expect([(await read()).currentContext, [...(await read()).contexts.keys()]]).toEqual([
      'cox-dev',
      ['work', 'cox', 'cox-dev'],
    ]);
    await removeContext(one!, { path: file, env: {} });
    expect((await read()).currentContext).toBe(other!.name);
    await removeContext(other!, { path: file, env: {} });
    expect(await read()).toEqual(await parseKubeConfig(work));
  });
});
