import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterRole } from '@coxswain/api/rbac/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessCaller } from '../../test/requests/caller.ts';
import { fetchOnce } from './https-client.test-data.ts';
import { type RunningApiServer, startApiServer } from './start-api-server.ts';

const advertiseAddress = '198.51.100.1';
let running: RunningApiServer;
let port: number;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'node-to-admin-'));
  running = await startApiServer({ dataDir: folder, securePort: 0, bindAddress: '0.0.0.0', advertiseAddress });
  port = running.server.address?.port ?? 0;
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const rules: ClusterRole['rules'] = [
    { apiGroups: [''], resources: ['nodes/status'], verbs: ['update', 'patch'] },
    { apiGroups: [''], resources: ['nodes/proxy'], verbs: ['*'] },
  ];
  await asAdmin('POST', `${rbac}/clusterroles`, { metadata: { name: 'nodes' }, rules });
  await asAdmin('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'nodes' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nodes' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
  });
  await asAdmin('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

const as =
  (username: string, ...groups: string[]) =>
  async (method: string, url: string, body?: object, contentType = 'application/json'): Promise<Answer> => {
    const call = inProcessCaller(running.transport({ username, groups }));
    const bytes = body && Buffer.from(JSON.stringify(body));
    const headers = { 'content-type': contentType };
    const answer = await call({ method, url, headers, ...(bytes && { body: bytes }) }, new AbortController().signal);
    let text = '';
    for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
    return { status: answer.status, text };
  };
const asAdmin = as('admin', 'system:masters');
const asMallory = as('mallory', 'system:authenticated');

/** Sets the node's address, and sends a request through the node's proxy. */
async function attack(address: string, type: string, toPort: number, path: string): Promise<Answer> {
  const status = { addresses: [{ type, address }], daemonEndpoints: { kubeletEndpoint: { Port: toPort } } };
  const patch = [{ op: 'replace', path: '/status', value: status }];
  const json = 'application/json-patch+json';
  expect(await asMallory('PATCH', '/api/v1/nodes/n/status', patch, json)).toMatchObject({ status: 200 });
  return asMallory('GET', `/api/v1/nodes/n/proxy${path}`);
}

const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []);
const everywhere = ['127.0.0.1', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', '127.1', '2130706433', '0', 'localhost'];

describe('a user with access to nodes/status and nodes/proxy', () => {
  it.each([...everywhere, advertiseAddress, ...own])(
    'cannot reach this server through a node at %s',
    async (address) => {
      for (const type of ['InternalIP', 'Hostname', 'ExternalDNS'])
        for (const path of ['/api/v1/namespaces/kube-system/secrets', '/version']) {
          const { status, text } = await attack(address, type, port, path);
          expect([400, 503]).toContain(status);
          expect(text).toMatch(/address not allowed|no such host|invalid port|Temporary failure in name resolution/);
        }
    },
  );

  it('cannot reach this server through the address of the service kubernetes', async () => {
    const { status, text } = await attack('10.96.0.1', 'InternalIP', 443, '/version');
    expect([status, JSON.parse(text).message]).toEqual([
      503,
      'error trying to reach service: dial tcp 10.96.0.1:443: address not allowed',
    ]);
  });

  it('gains no permissions when a relay forwards a kubelet connection back to this server', async () => {
    // What a relay would forward: a connection with the client certificate for kubelets.
    const pem = (extension: string) => readFile(join(folder, `pki/apiserver-kubelet-client.${extension}`), 'utf8');
    const [cert, key] = [await pem('crt'), await pem('key')];
    const access = { server: `https://127.0.0.1:${port}`, ca: running.authority.servingTrust, cert, key };
    const answers: Record<string, number> = {};
    for (const path of [
      '/api/v1/nodes/n',
      '/api/v1/secrets',
      '/api/v1/namespaces/kube-system/serviceaccounts',
      '/api/v1/pods',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    ])
      answers[path] = (await fetchOnce(access, path)).status;
    expect(answers).toEqual({
      '/api/v1/nodes/n': 200,
      '/api/v1/secrets': 403,
      '/api/v1/namespaces/kube-system/serviceaccounts': 403,
      '/api/v1/pods': 403,
      '/apis/rbac.authorization.k8s.io/v1/clusterroles': 403,
    });
  });
});
