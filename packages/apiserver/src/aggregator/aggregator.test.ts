import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asAdmin, callHttp1 } from '../../test/hardening/clients.ts';
import { startTestServer, type TestServer, tokens } from '../../test/test-server.ts';

const day = 24 * 3_600_000;
const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
const authority = issueKeyPair({ commonName: 'wardle-ca', isCA: true, ...validity });
const serving = issueKeyPair(
  { commonName: 'wardle', dnsNames: ['wardle.default.svc'], usages: ['serverAuth'], ...validity },
  authority,
);
const proxyClient = issueKeyPair({ commonName: 'front-proxy-client', usages: ['clientAuth'], ...validity }, authority);

interface Seen {
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly client: string | undefined;
}

const resources = {
  kind: 'APIResourceList',
  groupVersion: 'wardle.example.com/v1',
  resources: [{ name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get', 'list'] }],
};

/** An API server with one resource and only legacy discovery, without the aggregated discovery document. */
function wardle(seen: Seen[]): Server {
  const options = { cert: serving.certificatePem, key: serving.keyPem, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => {
    const { url = '', headers, socket } = request;
    const peer = (socket as unknown as { getPeerCertificate(): { subject?: { CN: string } } }).getPeerCertificate();
    seen.push({ url, headers, client: peer.subject?.CN });
    const [path] = url.split('?');
    if (path === '/apis/wardle.example.com/v1') response.end(JSON.stringify(resources));
    else if (path?.endsWith('/elsewhere')) response.writeHead(302, { location: 'https://192.0.2.1/' }).end();
    else if (path?.endsWith('/broken')) response.destroy();
    else if (path?.startsWith('/apis/wardle.example.com/v1/')) response.end(`you asked for ${url}`);
    else response.writeHead(404).end();
  });
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  return server;
}

let running: TestServer;
let behind: Server;
let seen: Seen[];

beforeEach(async () => {
  seen = [];
  behind = wardle(seen).listen(0, '127.0.0.1');
  await once(behind, 'listening');
  const client = { cert: proxyClient.certificatePem, key: proxyClient.keyPem };
  running = await startTestServer({ listen: true }, { proxyClient: () => client });
});
afterEach(async () => {
  behind.closeAllConnections();
  behind.close();
  await running.server.stop();
});

const call = (path: string, method = 'GET', body?: object) =>
  callHttp1(running.port, { path, method, headers: asAdmin, ...(body && { body: JSON.stringify(body) }) });
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

async function register(spec: object): Promise<void> {
  const created = await call(apiServices, 'POST', {
    metadata: { name: 'v1.wardle.example.com' },
    spec: {
      group: 'wardle.example.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      caBundle: Buffer.from(authority.certificatePem).toString('base64'),
      service: { namespace: 'default', name: 'wardle', port: (behind.address() as AddressInfo).port },
      ...spec,
    },
  });
  expect(created.status).toBe(201);
}

const makeService = async (spec: object = { type: 'ExternalName', externalName: '127.0.0.1' }): Promise<void> => {
  const made = await call('/api/v1/namespaces/default/services', 'POST', { metadata: { name: 'wardle' }, spec });
  expect(made.status).toBe(201);
};

/** Polls until the Available condition has that reason, and returns the condition. */
async function available(reason: string): Promise<{ status: string; message: string }> {
  for (;;) {
    const { text } = await call(`${apiServices}/v1.wardle.example.com`);
    const condition = JSON.parse(text).status?.conditions?.[0];
    if (condition?.reason === reason) return condition;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('an APIService', () => {
  it('is not available without its service', async () => {
    await register({});
    expect(await available('ServiceNotFound')).toMatchObject({
      status: 'False',
      message: 'service/wardle in "default" is not present',
    });
    const { status, text } = await call('/apis/wardle.example.com/v1/flunders');
    expect([status, text]).toEqual([503, 'service unavailable\n']);
  });

  it('is not available at another port, or without endpoints', async () => {
    await makeService({ ports: [{ port: 443 }], selector: { app: 'x' } });
    await register({});
    const { message } = await available('ServicePortError');
    expect(message).toMatch(/^service\/wardle in "default" is not listening on port \d+$/);
    await call(`${apiServices}/v1.wardle.example.com`, 'DELETE');
    await register({ service: { namespace: 'default', name: 'wardle', port: 443 } });
    expect((await available('EndpointsNotFound')).message).toBe(
      'cannot find endpointslices for service/wardle in "default"',
    );
    await call('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', 'POST', {
      metadata: { name: 'wardle-1', labels: { 'kubernetes.io/service-name': 'wardle' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 443 }],
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }],
    });
    expect((await available('MissingEndpoints')).message).toBe(
      'endpointslices for service/wardle in "default" have no addresses with port name ""',
    );
  });

  it('is not available when its certificate is signed by an unknown CA', async () => {
    await makeService();
    const stranger = issueKeyPair({ commonName: 'stranger', isCA: true, ...validity });
    await register({ caBundle: Buffer.from(stranger.certificatePem).toString('base64') });
    const { message } = await available('FailedDiscoveryCheck');
    expect(message).toMatch(
      /^failing or missing response from https:\/\/127\.0\.0\.1:\d+\/apis\/wardle\.example\.com\/v1: Get "https:.*": .*certificate/,
    );
    expect(seen).toEqual([]);
  });

  it('is stale in discovery once its server is gone', async () => {
    await makeService();
    await register({});
    await available('Passed');
    const discovered = async (): Promise<unknown> => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const { text } = await callHttp1(running.port, { path: '/apis', headers: { ...asAdmin, accept } });
      const group = JSON.parse(text).items.find(
        (item: { metadata: { name: string } }) => item.metadata.name === 'wardle.example.com',
      );
      return group?.versions[0];
    };
    for (;;) {
      const version = (await discovered()) as { freshness: string; resources: { resource: string }[] };
      if (version.freshness !== 'Current') continue;
      expect(version.resources.map(({ resource }) => resource)).toEqual(['flunders']);
      break;
    }
    behind.closeAllConnections();
    behind.close();
    // An update of the Service triggers another availability check.
    await call('/api/v1/namespaces/default/services/wardle', 'PUT', {
      metadata: { name: 'wardle', labels: { looked: 'again' } },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    });
    expect((await available('FailedDiscoveryCheck')).message).toContain('connect: connection refused');
    expect(await discovered()).toMatchObject({ freshness: 'Stale' });
  });
});

describe('a request to an aggregated API server', () => {
  beforeEach(async () => {
    await makeService();
    await register({});
    await available('Passed');
    seen.length = 0;
  });

  it("names the user, presents the proxy client certificate, and omits the client's credentials", async () => {
    const { status, text } = await callHttp1(running.port, {
      path: '/apis/wardle.example.com/v1/namespaces/x/flunders?limit=5',
      headers: {
        ...asAdmin,
        'impersonate-user': 'bob',
        'impersonate-group': 'system:masters',
        'impersonate-extra-example.com%2fcolour': 'red',
        'x-remote-user': 'mallory',
      },
    });
    expect([status, text]).toEqual([200, 'you asked for /apis/wardle.example.com/v1/namespaces/x/flunders?limit=5']);
    const [{ headers, client }] = seen.filter(({ url }) => url.includes('/flunders')) as [Seen];
    expect(client).toBe('front-proxy-client');
    expect(headers).toMatchObject({
      'x-remote-user': 'bob',
      'x-remote-group': 'system:masters, system:authenticated',
      'x-remote-extra-example.com%2fcolour': 'red',
    });
    expect(JSON.stringify(headers)).not.toContain(tokens.admin);
    expect(JSON.stringify(headers)).not.toContain('mallory');
    expect(Object.keys(headers)).not.toContain('impersonate-user');
  });

  it('does not follow a redirect, nor pass it to the client', async () => {
    const { status, text, headers } = await call('/apis/wardle.example.com/v1/elsewhere');
    expect([status, text]).toEqual([502, 'the backend attempted to redirect this request, which is not permitted']);
    expect(headers.location).toBeUndefined();
  });

  it('fails with 503 when the server drops the connection, without affecting other requests', async () => {
    const { status, text } = await call('/apis/wardle.example.com/v1/broken');
    expect([status, text]).toEqual([503, 'error trying to reach service: EOF\n']);
    expect((await call('/apis/wardle.example.com/v1/flunders')).status).toBe(200);
  });

  it('may upgrade the connection', async () => {
    const socket = connect({
      host: '127.0.0.1',
      port: running.port,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    await once(socket, 'secureConnect');
    socket.write(
      `GET /apis/wardle.example.com/v1/tunnel HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens.admin}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`,
    );
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.endsWith('\r\n\r\n')) socket.write('hello');
      if (received.endsWith('hello')) break;
    }
    expect(received).toMatch(/^HTTP\/1\.1 101 /);
  });

  it('is forbidden without permission', async () => {
    const { status } = await callHttp1(running.port, {
      path: '/apis/wardle.example.com/v1/flunders',
      headers: { authorization: `Bearer ${tokens.alice}` },
    });
    expect(status).toBe(403);
    expect(seen.filter(({ url }) => url.includes('/flunders'))).toEqual([]);
  });
});
