import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Endpoints, Node, Pod, Service } from '@coxswain/api/core/v1';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DialTarget } from './dialer.ts';
import { closedPort, FakeServer } from './fake-server.test-data.ts';
import { dependenciesOf, Front } from './front.test-data.ts';
import { SocketDialer } from './socket-dialer.ts';

const podIP = '192.0.2.2';
const named = (name: string) => ({ name, namespace: 'ns' });
const pod = (name: string, ip: string, ...ports: number[]): Pod => ({
  metadata: named(name),
  spec: {
    containers: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i', ports: ports.map((containerPort) => ({ containerPort })) },
    ],
  },
  status: ip === '' ? {} : { podIPs: [{ ip }] },
});
const service = (name: string): Service => ({
  metadata: named(name),
  spec: {
    ports: [
      { name: 'web', port: 80 },
      { name: 'x', port: 81 },
    ],
  },
});
const targetRef = (name: string, namespace = 'ns') => ({ kind: 'Pod', namespace, name });
const endpoints = (name: string, subsets: Endpoints['subsets']): Endpoints => ({
  metadata: named(name),
  ...(subsets && { subsets }),
});
const node = (name: string, address: string): Node => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: 10950 } } },
});

const objects = {
  pods: [
    pod('web', podIP, 8080, 9090),
    pod('bare', podIP),
    pod('loopback', '127.0.0.1', 80),
    pod('metadata', '169.254.169.254', 80),
    pod('unborn', ''),
    pod('six', 'fd00::2', 80),
  ],
  services: [service('svc'), service('none'), service('empty')],
  endpoints: [
    endpoints('svc', [
      { notReadyAddresses: [{ ip: podIP, targetRef: targetRef('web') }], ports: [{ name: 'web', port: 1 }] },
      {
        addresses: [
          { ip: '10.9.9.9', targetRef: targetRef('web') },
          { ip: podIP },
          { ip: podIP, targetRef: targetRef('web', 'other') },
          { ip: podIP, targetRef: targetRef('gone') },
          { ip: podIP, targetRef: targetRef('web') },
        ],
        ports: [{ name: 'web', port: 8080 }],
      },
      { addresses: [{ ip: podIP }], ports: [{ name: 'x', port: 8080 }] },
    ]),
    endpoints('empty', undefined),
  ],
  nodes: [
    node('far', podIP),
    node('near', '127.0.0.1'),
    node('lost', 'lost.invalid'),
    node('here', 'here.invalid'),
    { metadata: { name: 'new' } },
  ],
};

let server: FakeServer;
let front: Front;
let sockets: SocketDialer;
let dialed: DialTarget[];
let downPort: number;

beforeAll(async () => {
  server = await new FakeServer().start();
  downPort = await closedPort();
  sockets = new SocketDialer();
  const deps = dependenciesOf(objects, {
    // All addresses lead to the one server, except for the port on which nothing listens.
    dial: (target, request) => {
      dialed.push(target);
      const port = String(target.port === '10999' ? downPort : server.port);
      return sockets.dial({ ...target, scheme: 'http', host: '127.0.0.1', port }, request);
    },
    isLocal: (target) => target.node === 'here',
  });
  const lookup = async (host: string) => {
    if (host.endsWith('.invalid')) throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    return [host];
  };
  front = await new Front({ ...deps, lookup }).start();
});

afterAll(async () => {
  await front.close();
  sockets.close();
  await server.close();
});

beforeEach(() => {
  dialed = [];
  server.requests.length = 0;
  server.answer = (_, response) => response.end('hello');
});

const ns = '/api/v1/namespaces/ns';
const where = () => dialed.map(({ scheme, host, port, trust }) => `${scheme}://${host}:${port} ${trust}`);

describe('the target of a proxy', () => {
  it.each([
    [`${ns}/pods/web/proxy/`, 'http://192.0.2.2:8080 none'],
    [`${ns}/pods/web:9090/proxy/`, 'http://192.0.2.2:9090 none'],
    [`${ns}/pods/https:web:9090/proxy/`, 'https://192.0.2.2:9090 none'],
    [`${ns}/pods/http:web:/proxy/`, 'http://192.0.2.2:8080 none'],
    [`${ns}/pods/bare/proxy/`, 'http://192.0.2.2: none'],
    [`${ns}/pods/six/proxy/`, 'http://fd00::2:80 none'],
    [`${ns}/services/svc:80/proxy/`, 'http://192.0.2.2:8080 none'],
    [`${ns}/services/svc:web/proxy/`, 'http://192.0.2.2:8080 none'],
    [`${ns}/services/https:svc:web/proxy/`, 'https://192.0.2.2:8080 none'],
    ['/api/v1/nodes/far/proxy/', 'https://192.0.2.2:10950 kubelet'],
    ['/api/v1/nodes/far:10950/proxy/', 'https://192.0.2.2:10950 kubelet'],
    ['/api/v1/nodes/http:far:10950/proxy/', 'https://192.0.2.2:10950 kubelet'],
    ['/api/v1/nodes/far:10951/proxy/', 'http://192.0.2.2:10951 none'],
    ['/api/v1/nodes/here/proxy/', 'https://here.invalid:10950 kubelet'],
    ['/api/v1/nodes/https:far:10951/proxy/', 'https://192.0.2.2:10951 none'],
  ])('of %s is %s', async (path, expected) => {
    expect((await front.fetch(path)).body).toBe('hello');
    expect(where()).toEqual([expected]);
  });

  it.each<[string, number, string | undefined, string]>([
    [`${ns}/pods/ftp:web:1/proxy/x`, 400, 'BadRequest', 'invalid pod request "ftp:web:1"'],
    [`${ns}/pods/a:b:c:d/proxy/x`, 400, 'BadRequest', 'invalid pod request "a:b:c:d"'],
    [`${ns}/pods/:1/proxy/x`, 400, 'BadRequest', 'invalid pod request ":1"'],
    [`${ns}/pods/loopback/proxy/x`, 400, 'BadRequest', 'address not allowed'],
    [`${ns}/pods/metadata/proxy/x`, 400, 'BadRequest', 'address not allowed'],
    [`${ns}/pods/unborn/proxy/x`, 400, 'BadRequest', 'address not allowed'],
    [`${ns}/pods/nope/proxy/x`, 404, 'NotFound', 'pods "nope" not found'],
    [`${ns}/pods/web/proxy/x?dryRun=All`, 400, 'BadRequest', 'dryRun is not supported'],
    [`${ns}/services/svc/proxy/`, 503, 'ServiceUnavailable', 'no endpoints available for service "svc"'],
    [`${ns}/services/svc:81/proxy/`, 503, 'ServiceUnavailable', 'no endpoints available for service "svc:81"'],
    [`${ns}/services/svc:nope/proxy/`, 503, 'ServiceUnavailable', 'no endpoints available for service "svc:nope"'],
    [`${ns}/services/svc:99/proxy/`, 503, 'ServiceUnavailable', 'no service port 99 found for service "svc"'],
    [`${ns}/services/empty:80/proxy/`, 503, 'ServiceUnavailable', 'no endpoints available for service "empty"'],
    [`${ns}/services/none/proxy/`, 404, 'NotFound', 'services "none" not found'],
    [`${ns}/services/gone:80/proxy/`, 404, 'NotFound', 'services "gone" not found'],
    [`${ns}/services/a:b:c:d/proxy/`, 400, 'BadRequest', 'invalid service request "a:b:c:d"'],
    ['/api/v1/nodes/near/proxy/', 400, 'BadRequest', 'address not allowed'],
    ['/api/v1/nodes/lost/proxy/', 400, 'BadRequest', 'lookup lost.invalid: no such host'],
    ['/api/v1/nodes/here:10951/proxy/', 400, 'BadRequest', 'lookup here.invalid: no such host'],
    ['/api/v1/nodes/new/proxy/', 500, undefined, 'no preferred addresses found; known addresses: []'],
    ['/api/v1/nodes/gone/proxy/', 404, 'NotFound', 'nodes "gone" not found'],
    ['/api/v1/nodes/a:b:c:d/proxy/', 400, 'BadRequest', 'invalid node request "a:b:c:d"'],
  ])('of %s is an error: %i %s', async (path, code, reason, message) => {
    const { status, body } = await front.fetch(path);
    const answer = JSON.parse(body);
    expect([status, answer.code, answer.reason, answer.message]).toEqual([code, code, reason, message]);
    expect(dialed).toEqual([]);
  });

  it('is named in the error when nothing listens there', async () => {
    expect(JSON.parse((await front.fetch(`${ns}/pods/web:10999/proxy/x`)).body)).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: `error trying to reach service: dial tcp 127.0.0.1:${downPort}: connect: connection refused`,
    });
  });
});

const proxy = `${ns}/services/svc:80/proxy`;

describe('the request to a proxied server', () => {
  it('is that of the client, without credentials and hop-by-hop headers', async () => {
    await front.fetch(`${proxy}/a%2Fb/c%20d//e/../f/?q=1&path=zz`, {
      headers: {
        cookie: 'c=d',
        'accept-encoding': 'gzip',
        'x-forwarded-for': '1.1.1.1',
        'x-forwarded-host': 'evil',
        connection: 'x-drop, close',
        'x-drop': '1',
        te: 'trailers, deflate',
        'keep-alive': '3',
        'proxy-authorization': 'x',
        authorization: 'Bearer secret',
        'x-remote-group': 'foo',
        'impersonate-user': 'joe',
        'impersonate-extra-a': 'b',
      },
    });
    expect(server.requests).toEqual([
      {
        method: 'GET',
        url: '/a/b/c%20d/f/?q=1&path=zz',
        headers: {
          host: `127.0.0.1:${front.port}`,
          connection: 'keep-alive',
          cookie: 'c=d',
          'accept-encoding': 'gzip',
          te: 'trailers',
          'x-forwarded-for': '1.1.1.1, 10.1.2.3',
          'x-forwarded-host': 'evil',
          'x-forwarded-uri': `${proxy}/a/b/c%20d/f/`,
        },
      },
    ]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('can be a %s', async (method) => {
    server.answer = (_, response) => response.writeHead(200, { 'x-k': 'v', 'content-length': 5 }).end('hello');
    const { status, headers, body } = await front.fetch(`${proxy}/x`, { method });
    expect([status, headers['x-k'], headers['content-length']]).toEqual([200, 'v', '5']);
    expect(body).toBe(method === 'HEAD' ? '' : 'hello');
    expect(server.requests[0]?.method).toBe(method);
  });

  it('has a streamed body', async () => {
    server.answer = (message, response) => message.pipe(response);
    expect((await front.fetch(`${proxy}`, { method: 'POST', body: 'x=y' })).body).toBe('x=y');
    expect(server.requests[0]?.url).toBe('/');
    expect(server.requests[0]?.headers['content-length']).toBe('3');
    const chunked = { method: 'PUT', headers: { 'transfer-encoding': 'chunked' }, body: 'x'.repeat(1 << 20) };
    expect((await front.fetch(`${proxy}/x`, chunked)).body).toBe(chunked.body);
  });

  it('may fail without breaking the connection of the client that sends a body', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const big = { method: 'POST', body: 'x'.repeat(4 << 20), agent };
    expect((await front.fetch(`${ns}/pods/web:10999/proxy/x`, big)).status).toBe(503);
    // The connection can still be used.
    expect((await front.fetch(`${proxy}/x`, { agent })).body).toBe('hello');
    agent.destroy();
  });

  it.each([
    ['', '/'],
    ['?a=b', '/?a=b'],
  ])(
    'is not sent when the path ends at proxy%s: the client is redirected to the path with a slash',
    async (search, expected) => {
      const { status, headers, body } = await front.fetch(`${proxy}${search}`);
      expect([status, headers.location, body]).toEqual([301, `${proxy}${expected}`, '']);
      expect(server.requests).toEqual([]);
    },
  );
});

describe('the response to a client', () => {
  it('is that of the server, without hop-by-hop and CORS headers', async () => {
    server.answer = (_, response) => {
      response.writeHead(418, {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'x',
        'set-cookie': ['a=b; Path=/', 'c=d'],
        connection: 'x-drop',
        'x-drop': '1',
        'keep-alive': '3',
        'proxy-authenticate': 'z',
        server: 'foo',
      });
      response.end('tea');
    };
    const { status, headers, body } = await front.fetch(`${proxy}/x`, { headers: { connection: 'close' } });
    delete headers.date;
    expect([status, body]).toEqual([418, 'tea']);
    expect(headers).toEqual({
      'access-control-expose-headers': 'x',
      'set-cookie': ['a=b; Path=/', 'c=d'],
      server: 'foo',
      connection: 'close',
      'transfer-encoding': 'chunked',
    });
  });

  it('has redirects that lead through the proxy', async () => {
    server.answer = (_, response) => response.writeHead(302, { location: '/login?x=1' }).end();
    expect((await front.fetch(`${proxy}/a/b`)).headers.location).toBe(`${proxy}/login?x=1`);
    server.answer = (_, response) => response.writeHead(302, { location: `http://${podIP}:8080/x` }).end();
    expect((await front.fetch(`${proxy}/a/b`)).headers.location).toBe(`${proxy}/x`);
  });

  it('is an error for an invalid redirect', async () => {
    server.answer = (_, response) => response.writeHead(302, { location: ':bad' }).end();
    const message = 'error trying to parse Location header: parse ":bad": missing protocol scheme';
    expect(JSON.parse((await front.fetch(`${proxy}/a`)).body)).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    });
  });

  const page = '<a href="/x">é</a>';
  const ledThrough = Buffer.from(`<a href="${proxy}/x">é</a>`);

  it('has pages whose links lead through the proxy', async () => {
    server.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': 19 }).end(page);
    const { headers, body } = await front.fetch(`${proxy}/a`);
    expect(Buffer.from(body, 'latin1')).toEqual(ledThrough);
    expect(headers['content-length']).toBeUndefined();
  });

  it('has such pages also with gzip', async () => {
    server.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync(page));
    const { headers, body } = await front.fetch(`${proxy}/a`);
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(Buffer.from(body, 'latin1'))).toEqual(ledThrough);
  });

  it.each([{ 'content-type': 'text/HTML' }, { 'content-type': 'text/html', 'content-encoding': 'br' }])(
    'has unchanged pages with %j',
    async (headers) => {
      server.answer = (_, response) => response.writeHead(200, headers).end('<a href="/x">');
      expect((await front.fetch(`${proxy}/a`)).body).toBe('<a href="/x">');
    },
  );

  it('is streamed', async () => {
    const release = new Promise<() => void>((resolve) => {
      server.answer = (_, response) => {
        response.write('first ');
        resolve(() => response.end('last'));
      };
    });
    const incoming = await front.open(`${proxy}/x`);
    const [first] = await once(incoming, 'data');
    expect(String(first)).toBe('first ');
    (await release)();
    const [last] = await once(incoming, 'data');
    expect(String(last)).toBe('last');
  });

  it('is aborted when the server closes the connection', async () => {
    server.answer = (_, response) => {
      response.write('half', () => response.destroy());
    };
    await expect(front.fetch(`${proxy}/x`)).rejects.toThrow('aborted');
  });

  it.each([
    ['garbage close\r\n\r\n', 'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "close"'],
    ['close', 'net/http: HTTP/1.x transport connection broken: malformed HTTP response "close"'],
    ['', 'EOF'],
  ])('is a 503 when the server responds with %j', async (answer, message) => {
    server.answer = (message_: IncomingMessage) => message_.socket.end(answer);
    const body = JSON.parse((await front.fetch(`${proxy}/x`, { method: 'POST', body: 'x' })).body);
    expect([body.code, body.message]).toEqual([503, `error trying to reach service: ${message}`]);
  });
});

describe('a client that disconnects', () => {
  it('before the response leaves no connection to the server', async () => {
    const reached = new Promise<void>((resolve) => {
      server.answer = () => resolve();
    });
    const outgoing = request({ host: '127.0.0.1', port: front.port, path: `${proxy}/x`, agent: false });
    outgoing.on('error', () => {}).end();
    await reached;
    const closed = once([...server.sockets].at(-1)!, 'close');
    outgoing.destroy();
    await closed;
  });

  it('during the response leaves no connection to the server', async () => {
    server.answer = (_, response) => response.write('first');
    const incoming = await front.open(`${proxy}/x`);
    await once(incoming, 'data');
    const closed = once([...server.sockets].at(-1)!, 'close');
    incoming.destroy();
    await closed;
  });
});

describe('an upgrade through a proxy', () => {
  it('is a tunnel, and keeps its query', async () => {
    server.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n');
      socket.pipe(socket);
    };
    const { socket } = await front.upgrade(`${proxy}/ws?a=b`, { headers: { upgrade: 'foo' } });
    socket.write('ping');
    const [pong] = await once(socket, 'data');
    expect(String(pong)).toBe('ping');
    socket.destroy();
    expect(server.requests[0]?.url).toBe('/ws?a=b');
    expect(server.requests[0]?.headers['x-forwarded-uri']).toBeUndefined();
  });

  it('fails when nothing listens', async () => {
    const { status, body } = await front.fetch(`${ns}/pods/web:10999/proxy/ws`, {
      headers: { connection: 'Upgrade', upgrade: 'foo' },
    });
    expect([status, JSON.parse(body).message]).toEqual([
      500,
      `error dialing backend: dial tcp 127.0.0.1:${downPort}: connect: connection refused`,
    ]);
  });
});
