import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { FeatureGates } from '@coxswain/api';
import type { Node, Pod } from '@coxswain/api/core/v1';
import type { AuthorizationAttributes, Decision } from '@coxswain/component-base/authorization';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeCertificates } from './certificates.test-data.ts';
import { closedPort, FakeServer } from './fake-server.test-data.ts';
import { dependenciesOf, Front } from './front.test-data.ts';
import { SocketDialer } from './socket-dialer.ts';

const container = (name: string) => ({ name, image: 'i' });
const pod = (name: string, nodeName: string | undefined, ...containers: string[]): Pod => ({
  metadata: { name, namespace: 'ns' },
  spec: { ...(nodeName && { nodeName }), containers: containers.map(container) },
});
const node = (name: string, port: number): Node => ({
  metadata: { name },
  status: {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  },
});

let kubelet: FakeServer;
let dialer: SocketDialer;
let front: Front;
let downPort: number;
let decision: Decision;
let judged: AuthorizationAttributes[];

beforeAll(async () => {
  const { ca, server, client } = await makeCertificates();
  kubelet = await new FakeServer({ ...server, ca }).start();
  downPort = await closedPort();
  const tls = { ca, ...client };
  dialer = new SocketDialer({ kubeletTls: () => tls });
  const pods = [
    pod('one', 'ok', 'a'),
    pod('two', 'ok', 'a', 'b'),
    pod('down', 'down', 'a'),
    pod('gone', 'gone', 'a'),
    pod('unscheduled', undefined, 'a'),
  ];
  const objects = { pods, nodes: [node('ok', kubelet.port), node('down', downPort)] };
  const authorize = async (attributes: AuthorizationAttributes) => {
    judged.push(attributes);
    return decision;
  };
  front = await new Front({ ...dependenciesOf(objects, dialer), authorizer: { authorize } }).start();
});

afterAll(async () => {
  await front.close();
  dialer.close();
  await kubelet.close();
});

beforeEach(() => {
  decision = { decision: 'allow', reason: '' };
  judged = [];
  kubelet.requests.length = 0;
  kubelet.upgrade = agree;
});

/** Accepts any upgrade protocol, and echoes. */
function agree({ headers }: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\nX-From: kubelet\r\n\r\n`,
  );
  socket.write(head);
  socket.pipe(socket);
}

const path = (rest: string) => `/api/v1/namespaces/ns/pods/${rest}`;

async function read(socket: Duplex, length: number, start: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  let got = start;
  while (got.length < length) {
    const chunk: Buffer | null = socket.read();
    if (chunk) got = Buffer.concat([got, chunk]);
    else await once(socket, 'readable');
  }
  return got;
}

describe('exec, attach and portforward', () => {
  it.each([
    [
      'one/exec?command=ls&command=-l+x&stdin=1&stdout=true&stderr=false&tty=&container=a&foo=bar',
      '/exec/ns/one/a?command=ls&command=-l+x&input=1&output=1&tty=1',
    ],
    ['one/exec', '/exec/ns/one/a'],
    ['two/attach?container=b&stdin=true&stdout=0&stderr=1', '/attach/ns/two/b?error=1&input=1'],
    ['two/portforward', '/portForward/ns/two'],
    ['one/portforward?ports=80&ports=81,82', '/portForward/ns/one?port=80%2C81%2C82'],
  ])('requests %s from the kubelet as %s', async (request, expected) => {
    const { socket } = await front.upgrade(path(request), { method: 'POST' });
    socket.destroy();
    expect(kubelet.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${expected}`]);
  });

  it('forwards the handshake, but no credentials', async () => {
    const { socket, headers } = await front.upgrade(path('one/attach'), {
      method: 'POST',
      headers: {
        'x-stream-protocol-version': ['v4.channel.k8s.io', 'v3.channel.k8s.io'],
        authorization: 'Bearer secret',
        'x-remote-user': 'joe',
        'x-remote-extra-scopes': 's',
        'impersonate-user': 'joe',
        'x-forwarded-for': '9.9.9.9',
        cookie: 'a=b',
      },
    });
    socket.destroy();
    expect(headers).toEqual({ connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-from': 'kubelet' });
    expect(kubelet.requests[0]?.headers).toEqual({
      host: `127.0.0.1:${front.port}`,
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io, v3.channel.k8s.io',
      'x-forwarded-for': '9.9.9.9, 10.1.2.3',
      cookie: 'a=b',
      'content-length': '0',
    });
  });

  it.each([
    ['v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.b3JhY2xl', 'v4.channel.k8s.io'],
    ['v5.channel.k8s.io,v4.channel.k8s.io', 'v5.channel.k8s.io,v4.channel.k8s.io'],
    ['SPDY/3.1+portforward.k8s.io', 'SPDY/3.1+portforward.k8s.io'],
  ])('forwards subprotocols %s as %s', async (offered, expected) => {
    const { socket } = await front.upgrade(path('one/exec'), {
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': offered },
    });
    socket.destroy();
    expect(kubelet.requests[0]?.headers['sec-websocket-protocol']).toBe(expected);
  });

  it('tunnels a WebSocket between client and kubelet', async () => {
    kubelet.upgrade = ({ headers }, socket) => {
      const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n`,
      );
      // Receives a masked frame, and sends it back unmasked.
      void read(socket, 2 + 4 + 3).then((frame) => {
        const mask = frame.subarray(2, 6);
        const payload = frame.subarray(6).map((byte, i) => byte ^ mask[i % 4]!);
        socket.end(Buffer.concat([Buffer.from([0x82, payload.length]), payload]));
      });
    };
    const { socket, headers } = await front.upgrade(path('one/exec?command=cat&stdin=1&stdout=1'), {
      headers: { upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
    });
    expect(headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect(headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
    const [mask, payload] = [Buffer.from([1, 2, 3, 4]), Buffer.from('\0hi')];
    socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | 3]), mask, payload.map((byte, i) => byte ^ mask[i]!)]));
    expect([...(await read(socket, 5))]).toEqual([0x82, 3, 0, 104, 105]);
    await once(socket.resume(), 'close');
  });

  it('tunnels more data than fits into buffers, both ways concurrently', async () => {
    const { socket } = await front.upgrade(path('one/portforward'), { method: 'POST' });
    const sent = Buffer.alloc(8 << 20);
    for (let i = 0; i < sent.length; i += 4) sent.writeUInt32LE(i, i);
    socket.end(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  });

  it('forwards data that the kubelet sends together with the response head', async () => {
    kubelet.upgrade = (_, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nearly');
    };
    const { socket, head } = await front.upgrade(path('one/attach'));
    expect((await read(socket, 5, head)).toString()).toBe('early');
    await once(socket.resume(), 'close');
  });

  it.each(['client', 'kubelet'])('closes both connections when that of the %s is closed', async (side) => {
    const atKubelet = new Promise<Duplex>((resolve) => {
      kubelet.upgrade = (request, socket, head) => {
        agree(request, socket, head);
        resolve(socket);
      };
    });
    const { socket } = await front.upgrade(path('one/attach'));
    socket.on('error', () => {});
    const other = await atKubelet;
    const [cut, left] = side === 'client' ? [socket, other] : [other, socket];
    const closed = once(left.resume(), 'close');
    cut.destroy();
    await closed;
  });

  it('closes the connection to a silent kubelet some time after the client ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const finished = new Promise<void>((resolve) => {
      kubelet.upgrade = ({ headers }, socket) => {
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`);
        socket.once('end', resolve).resume();
      };
    });
    const { socket } = await front.upgrade(path('one/attach'));
    socket.on('error', () => {}).resume();
    socket.end();
    await finished;
    const closed = once(socket, 'close');
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    await closed;
  });

  it('leaks no connections', async () => {
    const open = await Promise.all(Array.from({ length: 5 }, () => front.upgrade(path('one/attach'))));
    expect(kubelet.sockets.size).toBe(5);
    for (const { socket } of open) socket.destroy();
    await kubelet.drained();
    expect(kubelet.sockets.size).toBe(0);
  });

  it.each<[string, number, string | undefined, string]>([
    ['one/exec', 400, 'BadRequest', 'Upgrade request required'],
    ['one/exec?dryRun=All', 400, 'BadRequest', 'dryRun is not supported'],
    ['two/exec', 400, 'BadRequest', 'a container name must be specified for pod two, choose one of: [a b]'],
    ['two/attach?container=z', 400, 'BadRequest', 'container z is not valid for pod two'],
    ['two/portforward', 400, 'BadRequest', 'Upgrade request required'],
    ['unscheduled/exec', 400, 'BadRequest', 'pod unscheduled does not have a host assigned'],
    ['unscheduled/portforward', 400, 'BadRequest', 'pod unscheduled does not have a host assigned'],
    ['gone/attach', 404, 'NotFound', 'pods "gone" not found'],
    ['nope/exec', 404, 'NotFound', 'pods "nope" not found'],
    [
      'one/portforward?ports=x',
      400,
      'BadRequest',
      'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [
      'one/portforward?ports=80,70000',
      400,
      'BadRequest',
      'cannot convert to []int32: strconv.ParseUint: parsing "70000": value out of range',
    ],
  ])('refuses %s: %i %s', async (request, code, reason, message) => {
    const { status, body } = await front.fetch(path(request), { method: 'POST' });
    expect(status).toBe(code);
    expect(JSON.parse(body)).toMatchObject({ code, reason, message });
    expect(kubelet.requests).toEqual([]);
  });

  it('returns the reason why the kubelet was not reached', async () => {
    const { body } = await front.fetch(path('down/exec'), { headers: { connection: 'upgrade', upgrade: 'websocket' } });
    expect(JSON.parse(body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `error dialing backend: dial tcp 127.0.0.1:${downPort}: connect: connection refused`,
      code: 500,
    });
  });

  it('forwards an error response of the kubelet', async () => {
    kubelet.upgrade = (_, socket) => {
      socket.end(
        'HTTP/1.1 404 Not Found\r\nX-A: b\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nno such pod\n',
      );
    };
    const { status, headers, body } = await front.fetch(path('one/exec'), {
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
    });
    expect([status, headers['x-a'], headers['content-type'], headers.connection, body]).toEqual([
      404,
      'b',
      'text/plain',
      'close',
      'no such pod\n',
    ]);
  });

  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'invalid upgrade response: status code 200'],
    ['HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n', 'invalid upgrade response: status code 302'],
    ['garbage close\r\n\r\n', 'malformed HTTP status code "close"'],
    ['', 'EOF'],
  ])('fails for the response %j', async (answer, message) => {
    kubelet.upgrade = (_, socket) => socket.end(answer);
    const { status, body } = await front.fetch(path('one/exec'), {
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
    });
    expect([status, JSON.parse(body).message]).toEqual([500, message]);
  });
});

describe('authorization of a WebSocket, which begins with a GET,', () => {
  it('requires the permission to create', async () => {
    decision = { decision: 'no opinion', reason: '' };
    const { body } = await front.fetch(path('one/exec?command=ls'));
    expect(JSON.parse(body)).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods "one" is forbidden: ',
      details: { name: 'one', kind: 'pods' },
    });
    expect(judged).toMatchObject([
      { verb: 'create', resource: 'pods', subresource: 'exec', namespace: 'ns', name: 'one', resourceRequest: true },
    ]);
  });

  it('is not repeated for a POST', async () => {
    decision = { decision: 'deny', reason: '' };
    const { socket } = await front.upgrade(path('one/exec'), { method: 'POST' });
    socket.destroy();
    expect(judged).toEqual([]);
  });

  it('requires only the permission to get when the feature is off', async () => {
    decision = { decision: 'deny', reason: '' };
    const deps = dependenciesOf({ pods: [pod('one', 'ok', 'a')], nodes: [node('ok', kubelet.port)] }, dialer);
    const featureGates = new FeatureGates({ AuthorizePodWebsocketUpgradeCreatePermission: false });
    const authorizer = { authorize: async () => decision };
    const lax = await new Front({ ...deps, featureGates, authorizer }).start();
    const { socket } = await lax.upgrade(path('one/exec'));
    socket.destroy();
    await lax.close();
  });
});
