import { createHmac, generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { createCertificateRequest, generateKey } from '@coxswain/client/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DialRequest } from '../../src/proxy/dialer.ts';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import {
  type Answer,
  asAdmin,
  type Call,
  callHttp1,
  callHttp2,
  connectSession,
  connectSocket,
  readToEnd,
} from './clients.ts';
import { pathTricks } from './path-tricks.ts';

const secretText = 'what-nobody-shall-see';
const rbac = 'rbac.authorization.k8s.io';
const asAlice = { ...asAdmin, authorization: `Bearer ${tokens.alice}` };

let running: TestServer;
/** Proxied requests. */
const passedOn: DialRequest[] = [];

beforeAll(async () => {
  const dialer = {
    dial: async (_: unknown, request: DialRequest) => {
      passedOn.push(request);
      return { status: 200, headers: { 'proxy-connection': 'x' }, body: Readable.from([Buffer.from('reached')]) };
    },
  };
  running = await startTestServer({ listen: true }, { dialer });
  for (const namespace of ['a', 'b']) {
    await made('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } });
    for (const name of ['allowed', 'other']) {
      const object = { apiVersion: 'v1', metadata: { name } };
      await made(`/api/v1/namespaces/${namespace}/secrets`, {
        ...object,
        kind: 'Secret',
        stringData: { x: secretText },
      });
      await made(`/api/v1/namespaces/${namespace}/configmaps`, {
        ...object,
        kind: 'ConfigMap',
        data: { x: secretText },
      });
    }
  }
  // In namespace `a`, alice may read all config maps and one secret, and nothing else.
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['allowed'],
      verbs: ['get', 'list', 'watch', 'deletecollection'],
    },
    { apiGroups: [''], resources: ['services/proxy'], verbs: ['*'] },
  ];
  const role = { kind: 'Role', apiVersion: `${rbac}/v1`, metadata: { name: 'alice' }, rules };
  await made(`/apis/${rbac}/v1/namespaces/a/roles`, role);
  await made(`/apis/${rbac}/v1/namespaces/a/rolebindings`, {
    kind: 'RoleBinding',
    apiVersion: `${rbac}/v1`,
    metadata: { name: 'alice' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'alice' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: 'alice' }],
  });
});
afterAll(() => running.server.stop());

async function made(path: string, object: object): Promise<void> {
  const answer = await callHttp1(running.port, {
    method: 'POST',
    path,
    headers: asAdmin,
    body: JSON.stringify(object),
  });
  if (answer.status !== 201) throw new Error(answer.text);
}

const call = (request: Call): Promise<Answer> => callHttp1(running.port, request);

/** Returns the response without values that differ between requests. */
const anonymized = ({ status, headers, text }: Answer, ...names: string[]): unknown => {
  const { 'audit-id': _, date: __, 'content-length': ___, ...kept } = headers;
  const quoted = names.flatMap((name) => [`\\"${name}\\"`, `"${name}"`]);
  return { status, headers: kept, text: quoted.reduce((rest, name) => rest.replaceAll(name, 'NAME'), text) };
};

describe('an unauthorized client that', () => {
  const requests: [string, (namespace: string, name: string) => Call][] = [
    ['reads it', (ns, name) => ({ path: `/api/v1/namespaces/${ns}/secrets/${name}` })],
    ['lists it', (ns, name) => ({ path: `/api/v1/namespaces/${ns}/secrets?fieldSelector=metadata.name%3D${name}` })],
    ['watches it', (ns, name) => ({ path: `/api/v1/watch/namespaces/${ns}/secrets/${name}` })],
    ['replaces it', (ns, name) => ({ method: 'PUT', path: `/api/v1/namespaces/${ns}/secrets/${name}`, body: '{}' })],
    ['patches it', (ns, name) => ({ method: 'PATCH', path: `/api/v1/namespaces/${ns}/secrets/${name}`, body: '{}' })],
    ['deletes it', (ns, name) => ({ method: 'DELETE', path: `/api/v1/namespaces/${ns}/secrets/${name}` })],
    [
      'creates it',
      (ns, name) => ({
        method: 'POST',
        path: `/api/v1/namespaces/${ns}/secrets`,
        body: `{"metadata":{"name":"${name}"}}`,
      }),
    ],
    ['reads a subresource', (ns, name) => ({ path: `/api/v1/namespaces/${ns}/pods/${name}/log` })],
    [
      'requests another representation',
      (ns, name) => ({ path: `/api/v1/namespaces/${ns}/secrets/${name}`, headers: { accept: 'x/y' } }),
    ],
  ];
  it.each(requests)('%s gets the same response whether the object exists or not', async (_, request) => {
    for (const headers of [asAlice, { 'content-type': 'application/json' }]) {
      const ask = async (namespace: string, name: string): Promise<unknown> => {
        const { headers: own, ...rest } = request(namespace, name);
        return anonymized(await call({ ...rest, headers: { ...headers, ...own } }), name, namespace);
      };
      const there = await ask('b', 'other');
      expect(there).toMatchObject({ status: 403 });
      expect(await ask('b', 'absent')).toEqual(there);
      expect(await ask('absent', 'other')).toEqual(there);
    }
  });
});

describe('a client with invalid credentials', () => {
  const [header, claims] = [{ alg: 'HS256' }, { iss: 'https://kubernetes.default.svc', sub: 'x', exp: 1 }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', 'k').update(`${header}.${claims}`).digest('base64url');
  const bad = {
    'an unknown token': 'Bearer unknown',
    'an unknown bootstrap token': 'Bearer abcdef.0123456789abcdef',
    'a token that is nearly right': `Bearer ${tokens.admin}x`,
    'a forged token': `Bearer ${header}.${claims}.${signature}`,
    'an unsigned token': `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`,
    'a malformed token': 'Bearer a.b.c',
  };

  it.each(Object.entries(bad))('gets a 401 without the reason: %s', async (_, authorization) => {
    const answer = await call({ path: '/api/v1/secrets', headers: { authorization } });
    expect(JSON.parse(answer.text)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  });

  it('gets a 401 everywhere when anonymous requests are off', async () => {
    const { server } = await startTestServer(
      {},
      { authentication: { anonymous: false, bootstrapTokens: false, clusterInfo: () => ({}) } },
    );
    for (const url of ['/healthz', '/version', '/api', '/api/v1/pods', '/', '/nowhere', '/openapi/v2', '/metrics']) {
      expect(await server.transport()({ method: 'GET', url })).toMatchObject({ status: 401 });
    }
    await server.stop();
  });
});

describe('paths', () => {
  it.each(Object.entries(pathTricks))(
    '%s has the same response as from kube-apiserver',
    async (request, [status, message]) => {
      const [method = '', path = ''] = request.split(' ');
      const answer = await call({ method, path, headers: asAdmin });
      expect(answer.status).toBe(status);
      if (message === undefined) return;
      expect(answer.headers['content-type']?.includes('json') ? JSON.parse(answer.text).message : answer.text).toBe(
        message,
      );
    },
  );

  it.each([
    '/api/v1/namespaces/a/configmaps/../../b/secrets',
    '/api/v1/namespaces/a/configmaps/..%2f..%2f..%2fb/secrets/allowed',
    '/api/v1/namespaces/a/configmaps/%2e%2e/%2e%2e/b/secrets',
    '/api/v1/namespaces/a%2f..%2fb/secrets/allowed',
    '/api/v1/namespaces/a/configmaps/x%2f..%2fsecrets',
    '/api/v1/namespaces/a;/secrets',
    '/api/v1/namespaces/a%00/secrets',
    '/api/v1/namespaces/A/secrets',
    '/api/v1/namespaces//secrets',
    '//api/v1/namespaces/b/secrets',
    '/api/v1/namespaces/b/secrets/',
    '/api/v1/namespaces/b//secrets',
    '/apis//v1/namespaces/b/secrets',
    '/api/v1/watch/namespaces/b/secrets?timeoutSeconds=1',
    '/api/v1/proxy/namespaces/b/services/x',
    '/api/v1/namespaces/b/secrets?namespace=a',
    '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name!%3Dallowed',
    '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Dother',
    '/api/v1/namespaces/a/secrets?fieldSelector=&fieldSelector=metadata.name%3Dallowed',
    '/api/v1/namespaces/a/secrets?fieldselector=metadata.name%3Dallowed',
    '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Dallowed;',
    '/api/v1/namespaces/a/secrets?a;fieldSelector=metadata.name%3Dallowed',
    '/api/v1/namespaces/a/secrets??fieldSelector=metadata.name%3Dallowed',
    '/api/v1/secrets?fieldSelector=metadata.name%3Dallowed',
    '/api/v1/namespaces/a/secrets/allowed/../other',
    '/api/v1/namespaces/a/secrets/other',
    '/api/v1/namespaces/a/secrets/other%20',
    'http://x/api/v1/namespaces/b/secrets',
    'https://x@y/api/v1/namespaces/b/secrets?x=/api/v1/namespaces/a/configmaps',
  ])('do not bypass authorization: %s', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      const answer = await call({ method, path, headers: { ...asAlice, 'x-http-method-override': 'GET' } });
      expect([400, 403, 404, 405]).toContain(answer.status);
      expect(answer.text).not.toContain(Buffer.from(secretText).toString('base64'));
    }
  });

  it.each([
    'secrets?fieldSelector=metadata.name%3Dallowed',
    'secrets?fieldSelector=metadata.name%3D%3Dallowed',
    'secrets?fieldSelector=metadata.name%3Dallowed&fieldSelector=metadata.name%3Dother',
    'secrets?fieldSelector=metadata.name%3Dallowed,metadata.name%3Dother',
    'secrets?fieldSelector=metadata.name%3Dallowed&watch=1&timeoutSeconds=1',
    'secrets?fieldSelector=metadata.name%3Dallowed&resourceVersion=0',
  ])('with selectors return only objects that were authorized: %s', async (query) => {
    const answer = await call({ path: `/api/v1/namespaces/a/${query}`, headers: asAlice });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('"other"');
  });

  it('authorized for one object do not delete others', async () => {
    const path = '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Dallowed&fieldSelector=&dryRun=All';
    const { status, text } = await call({ method: 'DELETE', path, headers: asAlice });
    expect(status).toBe(200);
    expect(text).not.toContain('"other"');
  });
});

describe('impersonation', () => {
  it.each<[string, Record<string, string>]>([
    ['a user', { 'impersonate-user': 'admin' }],
    ['a group', { 'impersonate-user': 'alice', 'impersonate-group': 'system:masters' }],
    ['a header name in upper case', { 'IMPERSONATE-USER': 'admin' }],
    ['a header listed in Connection', { 'impersonate-user': 'admin', connection: 'impersonate-user' }],
    ['the same user with extra', { 'impersonate-user': 'alice', 'impersonate-extra-x': 'y' }],
  ])('is refused without permission: %s', async (_, headers) => {
    const paths = ['/api/v1/namespaces/a/configmaps', '/api/v1/namespaces/a/services/x/proxy/', '/version'];
    for (const path of paths)
      expect(await call({ path, headers: { ...asAlice, ...headers } })).toMatchObject({ status: 403 });
    expect(passedOn).toEqual([]);
  });

  it('without a user is a bad request', async () => {
    const headers = { ...asAdmin, 'impersonate-group': 'system:masters' };
    expect(await call({ path: '/version', headers })).toMatchObject({ status: 400 });
  });

  it('is not visible in proxied requests', async () => {
    const service = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'x' }, spec: { ports: [{ port: 80 }] } };
    await made('/api/v1/namespaces/a/services', service);
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await made('/api/v1/namespaces/a/pods', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' }, spec });
    const status = { podIPs: [{ ip: '10.1.2.3' }], podIP: '10.1.2.3' };
    await call({
      method: 'PATCH',
      path: '/api/v1/namespaces/a/pods/x/status',
      headers: { ...asAdmin, 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status }),
    });
    // Proxies connect to addresses of pods only.
    const targetRef = { kind: 'Pod', namespace: 'a', name: 'x' };
    const subsets = [{ addresses: [{ ip: '10.1.2.3', targetRef }], ports: [{ port: 80 }] }];
    await made('/api/v1/namespaces/a/endpoints', {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { name: 'x' },
      subsets,
    });
    const headers = {
      ...asAdmin,
      'impersonate-user': 'alice',
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters',
      'x-remote-extra-a': 'b',
    };
    const path = '/api/v1/namespaces/a/services/x/proxy/p?q=1';
    expect(await call({ path, headers })).toMatchObject({ status: 200, text: 'reached' });
    const session = await connectSession(running.port);
    expect(await callHttp2(session, { path, headers })).toMatchObject({ status: 200, text: 'reached' });
    session.destroy();
    for (const request of passedOn.splice(0)) {
      const names = Object.keys(request.headers).join();
      expect(names).not.toMatch(/authorization|impersonate|x-remote/);
      expect(JSON.stringify(request.headers)).not.toContain(tokens.admin);
    }
  });
});

describe('HTTP/2', () => {
  it.each<[string, Record<string, string>, number]>([
    ['another authority', { ':authority': 'admin@x', ':path': '/api/v1/namespaces/b/secrets' }, 403],
    ['another scheme', { ':scheme': 'file', ':path': '/api/v1/namespaces/b/secrets' }, 403],
    [
      'a method by the name of a property',
      { ':method': 'constructor', ':path': '/api/v1/namespaces/a/configmaps' },
      403,
    ],
    [
      'a method by the name of the prototype',
      { ':method': '__proto__', ':path': '/api/v1/namespaces/a/configmaps' },
      403,
    ],
    ['a method in lower case', { ':method': 'get', ':path': '/api/v1/namespaces/a/configmaps' }, 403],
  ])('is authorized by its pseudo-headers: %s', async (_, pseudo, status) => {
    const session = await connectSession(running.port);
    const { ':path': path = '', ':method': method = 'GET', ...rest } = pseudo;
    const answer = await callHttp2(session, { method, path, headers: { ...asAlice, ...rest } });
    expect(answer.status).toBe(status);
    session.destroy();
  });

  it.each(['', '*', 'api/v1/pods', '\\api', 'https://x/api/v1/namespaces/b/secrets'])(
    'without a path is reset: %j',
    async (path) => {
      const session = await connectSession(running.port);
      await expect(callHttp2(session, { path, headers: asAdmin })).rejects.toThrow();
      session.destroy();
    },
  );
});

it('a header may have the name of any JavaScript property', async () => {
  const socket = await connectSocket(running.port);
  const received = readToEnd(socket);
  const odd = ['__proto__: x', '__proto__: y', 'constructor: x', 'constructor: y', 'hasOwnProperty: z'];
  const head = ['GET /version HTTP/1.1', 'Host: x', 'Connection: close', ...odd].join('\r\n');
  socket.write(`${head}\r\n\r\n`);
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK/);
});

it.each([
  ['elliptic', () => generateKey()],
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
])('a certificate request must be signed with its key: %s', async (_, newKey) => {
  const ask = (pem: string) => {
    const spec = { request: Buffer.from(pem).toString('base64'), signerName: 'a.b/c', usages: ['client auth'] };
    const body = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'x' },
      spec,
    };
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All';
    return call({ method: 'POST', path, headers: asAdmin, body: JSON.stringify(body) });
  };
  const good = createCertificateRequest({ commonName: 'x' }, newKey());
  const lines = good.split('\n');
  const der = Buffer.from(lines.slice(1, -2).join(''), 'base64');
  der[der.length - 1]! ^= 1;
  const forged = [lines[0], der.toString('base64'), ...lines.slice(-2)].join('\n');
  expect((await ask(good)).status).toBe(201);
  const answer = await ask(forged);
  expect(answer.status).toBe(422);
  expect(answer.text).toMatch(/verification (failure|error)/);
});

it('metrics have no labels that clients made up', async () => {
  const before = await call({ path: '/metrics', headers: asAdmin });
  for (let i = 0; i < 50; i++) {
    for (const path of ['/healthz/', '/api/', '/apis/', '/openapi/v3/', '/metrics/', '/version/', '/apis/made/up/'])
      for (const headers of [asAdmin, asAlice, {}]) await call({ path: `${path}made-up-${i}`, headers });
    await call({ path: `/apis/apps/v1/deployments/made-up-${i}`, headers: asAlice });
  }
  const after = await call({ path: '/metrics', headers: asAdmin });
  expect(after.text).not.toContain('made-up');
  expect(after.text.split('\n').length).toBeLessThan(before.text.split('\n').length + 100);
});

it('no secret is in the log', () => {
  const log = running.log.join('\n');
  for (const secret of [secretText, tokens.admin, tokens.alice]) expect(log).not.toContain(secret);
});
