import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RestConfig } from '../config/rest-config.ts';
import { newTransport } from '../transport/index.ts';
import { loadRestConfig } from './load-rest-config.ts';
import { modifyKubeConfig } from './modify-kubeconfig.ts';
import { tempDir } from './temp-dir.test-data.ts';

let server: RunningApiServer;
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await tempDir({ tokens: 'good,alice,1,"system:masters"\n' });
  server = await startApiServer({
    memory: true,
    securePort: 0,
    bindAddress: '127.0.0.1',
    certDir: join(directory, 'pki'),
    tokenAuthFile: join(directory, 'tokens'),
  });
  path = join(directory, 'config');
  await writeFile(path, server.kubeconfig!);
});
afterEach(() => server.stop());

/** The user name that the server sees. */
async function whoAmI(config: RestConfig): Promise<string> {
  const transport = newTransport(config);
  const response = await transport.send({
    method: 'POST',
    url: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}'),
  });
  const answer = JSON.parse(new TextDecoder().decode(await response.body.bytes()));
  await transport.close();
  return answer.status?.userInfo?.username ?? answer.message;
}

const asUser = async (user: object): Promise<string> => {
  await modifyKubeConfig((config) => void config.users.set('kubernetes-admin', user), { path });
  return whoAmI(await loadRestConfig({ path }));
};

it('authenticates as the user of the kubeconfig', async () => {
  expect(await whoAmI(await loadRestConfig({ path }))).toBe('kubernetes-admin');
  expect(await asUser({ token: 'good' })).toBe('alice');
  expect(await asUser({ token: 'good', as: 'bob' })).toBe('bob');
  expect(await asUser({ token: 'bad' })).toBe('Unauthorized');
});

it('runs a plug-in again when the server rejects its credential', async () => {
  const script = `
    import { existsSync, writeFileSync } from 'node:fs';
    const token = existsSync('seen') ? 'good' : 'bad';
    writeFileSync('seen', '');
    console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }));`;
  const plugin = join(directory, 'plugin.mjs');
  await writeFile(plugin, script.replaceAll("'seen'", JSON.stringify(join(directory, 'seen'))));
  const apiVersion = 'client.authentication.k8s.io/v1';
  const exec = { apiVersion, interactiveMode: 'Never', command: process.execPath, args: [plugin] };
  expect(await asUser({ exec })).toBe('alice');
});
