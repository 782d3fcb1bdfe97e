import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseKubeConfig } from '@coxswain/client/kubeconfig';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ClusterDirectory } from './cluster-directory.ts';
import { mend } from './mend.ts';
import { addContext } from './user-kubeconfig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cox-mend-'));
});
afterEach(() => rm(folder, { recursive: true }));

const adminKubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', certificate-authority-data: Y2E=}}]
users: [{name: u, user: {client-certificate-data: Y2E=}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;

it('restores a context from another file of KUBECONFIG', async () => {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await writeFile(first, 'apiVersion: v1\nkind: Config\ncurrent-context: work\n');
  await writeFile(second, 'apiVersion: v1\nkind: Config\ncontexts: [{name: work, context: {cluster: w, user: u}}]\n');
  const env = { KUBECONFIG: [first, second].join(delimiter) };
  const directory = new ClusterDirectory(join(folder, 'cluster'));
  const kubeconfig = await addContext({ name: 'cox', adminKubeconfig }, { env });
  expect(kubeconfig).toBe(first);
  const state = { name: 'cox', url: '', pid: 1, memory: false, startedAt: '', kubeconfig, context: 'cox' };
  await directory.write(state, adminKubeconfig);
  await mend(directory, env);
  expect((await parseKubeConfig(await readFile(first, 'utf8'))).currentContext).toBe('work');
});
