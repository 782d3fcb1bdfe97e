import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../test-server.ts';
import { type Answer, asAdmin, callHttp1, eventually } from './clients.ts';
import { usedHeap } from './fuzz-server.ts';

const hour = 3_600_000;
const validity = { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + hour) };
const { certificatePem: cert, keyPem: key } = issueKeyPair(
  { commonName: 'x', usages: ['serverAuth'], ...validity },
  undefined,
);

const group = 'bad.example.com';
const own = `/apis/${group}/v1`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

let running: TestServer;
let behind: Server | TcpServer | undefined;

beforeAll(async () => {
  running = await startTestServer({ listen: true });
});
afterAll(() => running.server.stop());
afterEach(async () => {
  await call(`${apiServices}/v1.${group}`, 'DELETE');
  await call('/api/v1/namespaces/default/services/bad', 'DELETE');
  if (behind && 'closeAllConnections' in behind) behind.closeAllConnections();
  behind?.close();
});

const call = (path: string, method = 'GET', body?: object, accept = 'application/json'): Promise<Answer> =>
  callHttp1(running.port, {
    path,
    method,
    headers: { ...asAdmin, accept },
    ...(body && { body: JSON.stringify(body) }),
  });

async function register(server: Server | TcpServer): Promise<void> {
  behind = server.listen(0, '127.0.0.1');
  await once(behind, 'listening');
  const { port } = behind.address() as AddressInfo;
  const service = { metadata: { name: 'bad' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
  expect((await call('/api/v1/namespaces/default/services', 'POST', service)).status).toBe(201);
  const { status } = await call(apiServices, 'POST', {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'bad', port },
    },
  });
  expect(status).toBe(201);
}

/** Returns an aggregated API server with this handler. */
const serving = (listener: RequestListener): Server => createServer({ cert, key }, listener);
const json = { 'content-type': 'application/json' };
const isAggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const endless: RequestListener = (_, response) => {
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(1 << 16)));
  };
  response.on('drain', more);
  more();
};

const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

/** Serves discovery of the APIService's group version, and calls `otherwise` for all other paths. */
const available =
  (otherwise: RequestListener, resources: unknown = []): RequestListener =>
  (request, response) => {
    if (request.url === own) response.writeHead(200, json).end(JSON.stringify({ kind: 'APIResourceList', resources }));
    else otherwise(request, response);
  };

const isAvailable = async (status: 'True' | 'False'): Promise<void> => {
  for (;;) {
    const { text } = await call(`${apiServices}/v1.${group}`);
    if (JSON.parse(text).status?.conditions?.[0]?.status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Expects that the API server itself works: readiness, discovery, OpenAPI, version. */
async function expectGoodFront(): Promise<void> {
  const [ready, groups, aggregated, v3, v2, version] = await Promise.all([
    call('/readyz'),
    call('/apis'),
    call('/apis', 'GET', undefined, isAggregated),
    call('/openapi/v3'),
    call('/openapi/v2'),
    call('/version'),
  ]);
  expect([ready, groups, aggregated, v3, v2, version].map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200, 200,
  ]);
  const names = JSON.parse(groups.text).groups.map(({ name }: { name: string }) => name);
  expect(names).toContain('apps');
  expect(JSON.parse(aggregated.text).items.length).toBeGreaterThan(10);
  expect(Object.keys(JSON.parse(v3.text).paths)).toContain('apis/apps/v1');
  expect(Object.keys(JSON.parse(v2.text).paths)).toContain('/apis/apps/v1/namespaces/{namespace}/deployments');
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
}

const lies: Record<string, unknown> = {
  'not an object': [],
  'wrong types': { kind: 1, resources: { length: 5 }, groups: 'x', items: [null, 1, 'x', [], { metadata: 1 }] },
  prototypes: JSON.parse(
    '{"__proto__":{"polluted":true},"resources":[{"name":"__proto__","kind":"constructor","verbs":["get"],"__proto__":{"polluted":true}}],' +
      `"items":[{"metadata":{"name":"${group}"},"versions":[{"version":"v1","resources":[{"resource":"__proto__","responseKind":{"__proto__":{"polluted":true}}}]}]}],` +
      '"paths":{"__proto__":{"polluted":true}},"definitions":{"__proto__":{"polluted":true}}}',
  ),
  'thousands of groups': {
    items: many(20_000, (i) => ({ metadata: { name: `g${i}.dev` }, versions: [{ version: 'v1', resources: [] }] })),
    groups: many(20_000, (i) => ({ name: `g${i}.dev` })),
  },
  'thousands of resources': {
    resources: many(30_000, (i) => ({ name: i % 2 ? `r${i}` : `r${i + 1}/status`, kind: 'X', verbs: ['get'] })),
  },
};

describe('an aggregated API server does not affect the API server', () => {
  it.each(Object.entries(lies))('when its documents are invalid: %s', async (_, lie) => {
    const body = JSON.stringify(lie);
    for (const type of ['application/json', isAggregated]) {
      await register(serving((_request, response) => response.writeHead(200, { 'content-type': type }).end(body)));
      await isAvailable('True');
      await expectGoodFront();
      await call(`${apiServices}/v1.${group}`, 'DELETE');
      await call('/api/v1/namespaces/default/services/bad', 'DELETE');
      behind?.close();
    }
    const { text } = await call('/apis');
    expect(text).not.toContain(group);
  });

  it('when its documents are nested very deeply', async () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    const paths = `{"paths":{"${own}/":${deep},"x":{"serverRelativeURL":"y"}},"definitions":{"x":${deep}}}`;
    const asked: unknown[] = [];
    const answer: RequestListener = ({ url }, response) => {
      response.writeHead(200, json).end(paths);
      response.on('close', () => asked.push(url));
    };
    await register(serving(available(answer)));
    await eventually(() => asked.includes('/openapi/v2'));
    await expectGoodFront();
  });

  it('when it never responds', async () => {
    await register(serving(() => {}));
    await expectGoodFront();
    expect(await call(`${own}/x`)).toMatchObject({ status: 503, text: 'service unavailable\n' });
  });

  it('when it responds to availability checks only', async () => {
    await register(serving(available(() => {})));
    await isAvailable('True');
    await expectGoodFront();
  });

  it('when it never finishes the TLS handshake', async () => {
    await register(createTcpServer((socket) => socket.on('error', () => {}).resume()));
    await expectGoodFront();
    expect((await call(`${own}/x`)).status).toBe(503);
  });

  it('when its documents are endless', async () => {
    const before = usedHeap() + process.memoryUsage().external;
    await register(serving(endless));
    await isAvailable('True');
    await expectGoodFront();
    // The availability check does not read the whole body.
    expect(usedHeap() + process.memoryUsage().external - before).toBeLessThan(200 * 1024 * 1024);
  });

  it.each<[string, RequestListener, number]>([
    ['redirects', (_, response) => response.writeHead(307, { location: 'https://192.0.2.1/' }).end(), 502],
    ['closes the connection', (_, response) => response.destroy(), 503],
    ['does not respond with HTTP', (_, response) => response.socket?.end('nonsense\r\n\r\n'), 503],
  ])('when it %s', async (_, listener, status) => {
    await register(serving(available(listener)));
    await isAvailable('True');
    await expectGoodFront();
    const answer = await call(`${own}/x`);
    expect(answer.status).toBe(status);
  });

  it('when it closes the connection in the middle of a response', async () => {
    const half: RequestListener = (_, response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"kind":', () => response.destroy());
    };
    await register(serving(available(half)));
    await isAvailable('True');
    await expectGoodFront();
    await expect(call(`${own}/x`)).rejects.toThrow();
    await expectGoodFront();
  });
});
