import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Node, Pod } from '@coxswain/api/core/v1';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificates } from './certificates.test-data.ts';
import { closedPort, FakeServer } from './fake-server.test-data.ts';
import { dependenciesOf, Front } from './front.test-data.ts';
import { SocketDialer } from './socket-dialer.ts';

const metadata = (name: string) => ({ name, namespace: 'ns' });
const container = (name: string) => ({ name, image: 'i' });
const podOn = (node: string): Pod => ({
  metadata: metadata(`on-${node}`),
  spec: { nodeName: node, containers: [container('a')] },
});
const nodeAt = (name: string, port: number, addresses: { type: string; address: string }[]): Node => ({
  metadata: { name },
  status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } },
});

let kubelet: FakeServer;
let front: Front;
let dialer: SocketDialer;
let downPort: number;

beforeAll(async () => {
  const { ca, server, client } = await makeCertificates();
  kubelet = await new FakeServer({ ...server, ca }).start();
  downPort = await closedPort();
  const loopback = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const pods: Pod[] = [
    ...['ok', 'none', 'odd', 'down', 'gone'].map(podOn),
    { metadata: metadata('unscheduled'), spec: { containers: [container('a')] } },
    {
      metadata: metadata('two'),
      spec: {
        nodeName: 'ok',
        initContainers: [container('i1')],
        containers: [container('a'), container('b')],
        ephemeralContainers: [container('e')],
      },
    },
  ];
  const nodes = [
    nodeAt('ok', kubelet.port, [{ type: 'ExternalIP', address: '192.0.2.1' }, ...loopback]),
    nodeAt('none', 1, []),
    nodeAt('odd', 1, [
      { type: 'Odd', address: '1.2.3.4' },
      { type: 'Strange', address: 'x' },
    ]),
    nodeAt('down', downPort, loopback),
  ];
  const tls = { ca, ...client };
  dialer = new SocketDialer({ kubeletTls: () => tls });
  front = await new Front(dependenciesOf({ pods, nodes }, dialer)).start();
});

afterAll(async () => {
  await front.close();
  dialer.close();
  await kubelet.close();
});

beforeEach(() => {
  kubelet.requests.length = 0;
  kubelet.answer = (_, response) => response.end('hello log\n');
});

const logOf = (pod: string, query = '') => front.fetch(`/api/v1/namespaces/ns/pods/${pod}/log${query && `?${query}`}`);
const asked = () => kubelet.requests.map(({ method, url }) => `${method} ${url}`);

describe('pods/log', () => {
  it('returns the kubelet’s response as text', async () => {
    expect(await logOf('on-ok')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' },
      body: 'hello log\n',
    });
    expect(asked()).toEqual(['GET /containerLogs/ns/on-ok/a']);
    expect(kubelet.requests[0]?.headers).toEqual({ host: `127.0.0.1:${kubelet.port}`, connection: 'keep-alive' });
  });

  it.each([
    [
      'follow=true&previous=1&timestamps&tailLines=5&limitBytes=7&sinceTime=2024-01-01T00:00:00.5%2B05:00',
      'follow=true&limitBytes=7&previous=true&sinceTime=2023-12-31T19%3A00%3A00Z&tailLines=5&timestamps=true',
    ],
    ['sinceTime=', 'sinceTime=0001-01-01T00%3A00%3A00Z'],
    ['sinceSeconds=%2B007&follow=0&previous=False', 'sinceSeconds=7'],
    ['limitBytes=9223372036854775807', 'limitBytes=9007199254740991'],
    ['tailLines=0&tailLines=x&container=a&pretty=true', 'tailLines=0'],
  ])('requests %s from the kubelet as %s', async (query, expected) => {
    expect((await logOf('on-ok', query)).status).toBe(200);
    expect(asked()).toEqual([`GET /containerLogs/ns/on-ok/a?${expected}`]);
  });

  it.each(['i1', 'b', 'e'])('finds container %s of any kind', async (name) => {
    await logOf('two', `container=${name}`);
    expect(asked()).toEqual([`GET /containerLogs/ns/two/${name}`]);
  });

  it('is empty while the pod has no node', async () => {
    expect(await logOf('unscheduled')).toMatchObject({ status: 204, body: '' });
  });

  it.each<[string, string, number, string, string]>([
    ['on-ok', 'tailLines=x', 400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['on-ok', 'tailLines=', 400, 'BadRequest', 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      'on-ok',
      'tailLines=99999999999999999999',
      400,
      'BadRequest',
      'strconv.ParseInt: parsing "99999999999999999999": value out of range',
    ],
    [
      'on-ok',
      'sinceTime=x',
      400,
      'BadRequest',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'on-ok',
      'tailLines=-1',
      422,
      'Invalid',
      'PodLogOptions "on-ok" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'on-ok',
      'stream=Stdout',
      422,
      'Invalid',
      'PodLogOptions "on-ok" is invalid: stream: Forbidden: may not be specified',
    ],
    ['two', '', 400, 'BadRequest', 'a container name must be specified for pod two, choose one of: [i1 a b e]'],
    ['two', 'container=z', 400, 'BadRequest', 'container z is not valid for pod two'],
    ['nope', '', 404, 'NotFound', 'pods "nope" not found'],
    ['on-gone', '', 404, 'NotFound', 'pods "gone" not found'],
  ])('refuses the log of %s with %s: %i %s', async (pod, query, code, reason, message) => {
    const { status, body } = await logOf(pod, query);
    expect(JSON.parse(body)).toMatchObject({ code, reason, message });
    expect(status).toBe(code);
    expect(kubelet.requests).toEqual([]);
  });

  it.each([
    ['none', 'no preferred addresses found; known addresses: []'],
    ['odd', 'no preferred addresses found; known addresses: [{Odd 1.2.3.4} {Strange x}]'],
  ])('fails for node %s without a reason', async (node, message) => {
    const { body } = await logOf(`on-${node}`);
    expect(JSON.parse(body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      code: 500,
    });
  });

  it('returns the reason why the kubelet was not reached', async () => {
    const { body } = await logOf('on-down', 'tailLines=1');
    const address = `127.0.0.1:${downPort}`;
    expect(JSON.parse(body).message).toBe(
      `Get "https://${address}/containerLogs/ns/on-down/a?tailLines=1": dial tcp ${address}: connect: connection refused`,
    );
  });

  it.each([
    [500, 'InternalError', 'Internal error occurred: oh no'],
    [400, 'BadRequest', 'oh no'],
    [404, 'NotFound', 'the server could not find the requested resource ( pods/log on-ok)'],
    [403, 'Forbidden', 'oh no ( pods/log on-ok)'],
    [401, 'Unauthorized', 'the server has asked for the client to provide credentials ( pods/log on-ok)'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request ( pods/log on-ok)'],
    [
      302,
      undefined,
      'the server responded with the status code 302 but did not return more information ( pods/log on-ok)',
    ],
    [
      207,
      undefined,
      'the server responded with the status code 207 but did not return more information ( pods/log on-ok)',
    ],
  ])('translates a %i of the kubelet', async (code, reason, message) => {
    kubelet.answer = (_, response) => response.writeHead(code).end('oh no');
    const { status, body } = await logOf('on-ok');
    expect(status).toBe(code);
    const read = JSON.parse(body);
    expect([read.reason, read.message]).toEqual([reason, message]);
  });

  it('follows no redirects', async () => {
    kubelet.answer = (_, response) => response.writeHead(302, { location: '/x' }).end();
    expect(JSON.parse((await logOf('on-ok')).body)).toMatchObject({
      code: 500,
      message: 'Get "/x": redirects forbidden',
    });
  });

  it('reads no more than the start of an endless error', async () => {
    kubelet.answer = (_, response) => {
      const chunk = Buffer.alloc(16_384, 'x');
      const write = () => {
        while (!response.destroyed && response.write(chunk)) {
          // Until the body is no longer read.
        }
      };
      response.writeHead(400).on('drain', write);
      write();
    };
    expect(JSON.parse((await logOf('on-ok')).body).message).toBe('x'.repeat(50_000));
  });

  it('ends when the kubelet closes the connection', async () => {
    kubelet.answer = (_, response) =>
      response.writeHead(200, { 'content-length': 10 }).write('abc', () => response.destroy());
    expect(await logOf('on-ok')).toMatchObject({ status: 200, body: 'abc' });
  });

  it('closes the connection to the kubelet when the client disconnects', async () => {
    const closed = new Promise<void>((resolve) => {
      kubelet.answer = (_, response) => {
        response.on('close', resolve).write('first\n');
      };
    });
    const incoming = await front.open('/api/v1/namespaces/ns/pods/on-ok/log?follow=true');
    await once(incoming, 'data');
    incoming.destroy();
    await closed;
  });

  describe('as a WebSocket', () => {
    const headers = {
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    };
    const path = '/api/v1/namespaces/ns/pods/on-ok/log';
    const close = [0x88, 2, 0x03, 0xe8];

    async function everything(socket: Socket, head: Buffer): Promise<number[]> {
      const chunks = [head];
      for await (const chunk of socket) chunks.push(chunk);
      return [...Buffer.concat(chunks)];
    }

    it.each([
      [undefined, [0x82, 0, 0x82, 3, ...Buffer.from('abc'), ...close]],
      ['binary.k8s.io', [0x82, 0, 0x82, 3, ...Buffer.from('abc'), ...close]],
      ['nope, base64.binary.k8s.io', [0x81, 0, 0x81, 4, ...Buffer.from('YWJj'), ...close]],
    ])('is sent as messages for subprotocol %s', async (protocol, expected) => {
      kubelet.answer = (_, response) => response.end('abc');
      const upgraded = await front.upgrade(path, {
        headers: { ...headers, ...(protocol && { 'sec-websocket-protocol': protocol }) },
      });
      expect(upgraded.headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
      expect(upgraded.headers['sec-websocket-protocol']).toBe(protocol?.split(', ').at(-1));
      expect(await everything(upgraded.socket, upgraded.head)).toEqual(expected);
    });

    it.each([
      [{ 'sec-websocket-protocol': 'nope.k8s.io' }, 403, ''],
      [{ 'sec-websocket-version': '12' }, 400, 'missing or bad WebSocket Version'],
    ])('is refused for %j', async (more, code, text) => {
      const { status, body } = await front.fetch(path, { headers: { connection: 'Upgrade', ...headers, ...more } });
      expect([status, body]).toEqual([code, text]);
    });

    it('is an ordinary response when there is no log', async () => {
      const { status } = await front.fetch('/api/v1/namespaces/ns/pods/unscheduled/log', {
        headers: { connection: 'Upgrade', ...headers },
      });
      expect(status).toBe(204);
    });

    it.each([
      ['sends a close frame', (socket: Socket) => socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))],
      ['disconnects', (socket: Socket) => socket.destroy()],
    ])('ends when the client %s', async (_, leave) => {
      const left = new Promise<void>((resolve) => {
        kubelet.answer = (_, response) => {
          response.on('close', resolve).write('first');
        };
      });
      const { socket } = await front.upgrade(`${path}?follow=1`, { headers });
      socket.resume();
      leave(socket);
      await left;
    });

    it('answers a ping', async () => {
      kubelet.answer = (_, response) => response.flushHeaders();
      const { socket, head } = await front.upgrade(`${path}?follow=1`, { headers });
      // First a message, which is ignored.
      socket.write(Buffer.from([0x82, 0x83, 1, 2, 3, 4, 9, 9, 9, 0x89, 0x82, 1, 2, 3, 4, 0x68 ^ 1]));
      socket.write(Buffer.from([0x69 ^ 2, 0x88, 0x80, 0, 0, 0, 0]));
      expect(await everything(socket, head)).toEqual([0x82, 0, 0x8a, 2, 0x68, 0x69, ...close]);
    });
  });
});
