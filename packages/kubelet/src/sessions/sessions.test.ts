import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { RpcError } from '@coxswain/grpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { SessionServer } from './session-server.test-data.ts';
import { FakeSpdyServer } from './spdy-server.test-data.ts';

let server: SessionServer;
beforeEach(async () => {
  server = await new SessionServer().start();
});
afterEach(() => server.close());

const upgradeHeaders = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };

describe('refusals', () => {
  it.each([
    ['exec without streams', '/exec/default/web/main?command=ls', 400, /^you must specify at least 1 of stdin, stdout/],
    [
      'exec with stderr of a terminal only',
      '/exec/default/web/main?error=1&tty=1',
      400,
      /^you must specify at least 1/,
    ],
    ['exec in no pod', '/exec/default/none/main?output=1', 404, /^pod does not exist$/],
    ['exec in no container', '/exec/default/web/none?output=1', 500, /^container not found \("none"\)$/],
    [
      'attach to no container',
      '/attach/default/web/none?output=1',
      500,
      /^container none not found in pod web_default$/,
    ],
    ['port-forward to another uid', '/portForward/default/web/u-2', 404, /^pod not found$/],
    ['an exec that is no upgrade', '/exec/default/web/u-1/main?output=1', 500, /^Upgrade request required\n$/],
    ['a path that is too short', '/exec/default', 404, /^404: Page Not Found$/],
    ['a path that is not well encoded', '/exec/%zz', 400, /^400 Bad Request$/],
  ])('of %s', async (_, path, status, text) => {
    expect(await server.fetch(path)).toMatchObject({ status, text: expect.stringMatching(text) });
  });

  it('of other methods', async () => {
    const answer = await server.fetch('/run/default/web/main', { method: 'GET' });
    expect(answer).toMatchObject({ status: 405, text: '405: Method Not Allowed', headers: { allow: 'POST' } });
  });

  it.each([
    ['', 'query parameter "port" is required'],
    ['?port=', 'query parameter "port" cannot be empty'],
    ['?port=80,x', 'unable to parse "80,x" as a port: strconv.ParseUint: parsing "x": invalid syntax'],
    ['?port=70000', 'unable to parse "70000" as a port: strconv.ParseUint: parsing "70000": value out of range'],
    ['?port=0', 'port "0" must be > 0'],
  ])('of the ports of a WebSocket %j', async (query, text) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'v4.channel.k8s.io' };
    expect(await server.fetch(`/portForward/default/web${query}`, { headers })).toMatchObject({ status: 400, text });
  });

  it.each([
    [new RpcError('NotFound', 'gone'), 404, 'rpc error: code = NotFound desc = gone'],
    [new RpcError('ResourceExhausted', 'many'), 429, 'rpc error: code = ResourceExhausted desc = many'],
    [new RpcError('Unknown', 'odd'), 500, 'rpc error: code = Unknown desc = odd'],
  ])('of the runtime: %s', async (failure, status, text) => {
    server.failure = failure;
    const answer = await server.fetch('/exec/default/web/main?output=1', { headers: upgradeHeaders });
    expect(answer).toMatchObject({ status, text, ...(status === 429 && { headers: { 'retry-after': '60' } }) });
  });

  it.each([
    ['its refusal', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\n\r\nnope', 403, 'nope'],
    [
      'no refusal',
      'HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n',
      500,
      'invalid upgrade response: status code 302\n',
    ],
  ])('of the streaming server: %s', async (_, head, status, text) => {
    server.upgrade = (_request, socket) => socket.end(head);
    expect(await server.fetch('/exec/default/web/main?output=1', { headers: upgradeHeaders })).toMatchObject({
      status,
      text,
    });
  });
});

describe('the runtime is asked', () => {
  it.each([
    [
      '/exec/default/web/main?command=a&command=b+c&input=1&output=1',
      'exec',
      { cmd: ['a', 'b c'], stdin: true, stdout: true },
    ],
    [
      '/exec/default/web/main?command=a&output=1&error=1&tty=1',
      'exec',
      { cmd: ['a'], stdout: true, stderr: false, tty: true },
    ],
    // The terminal is the container's.
    ['/attach/default/web/main?output=1&tty=1', 'attach', { containerId: 'id-of-main', tty: false }],
    ['/attach/default/web/terminal?output=1', 'attach', { containerId: 'id-of-terminal', tty: true }],
    ['/portForward/default/web', 'portForward', { podSandboxId: 'sandbox', port: [] }],
  ])('for %s', async (path, call, expected) => {
    await server.fetch(path, { headers: upgradeHeaders });
    const [name, asked = ''] = /^(\w+) (.*)$/.exec(server.calls[0] ?? '')!.slice(1);
    expect(name).toBe(call);
    expect(JSON.parse(asked)).toMatchObject(expected);
  });
});

it('connections in other protocols are forwarded byte for byte, without credentials', async () => {
  const webSockets = new WebSocketServer({ noServer: true });
  server.upgrade = (request, socket, head) =>
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('message', (data) => webSocket.send(data));
    });
  const { client } = await server.webSocket('/exec/default/web/main?input=1&output=1', 'v4.channel.k8s.io');
  client.send(Buffer.from('\0hello'));
  const [echoed] = (await once(client, 'message')) as [Buffer];
  expect(echoed.toString()).toBe('\0hello');
  expect(server.requests[0]?.headers).toMatchObject({ 'sec-websocket-protocol': 'v4.channel.k8s.io' });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  client.terminate();
  await server.drained();
});

it('SPDY is forwarded byte for byte', async () => {
  server.upgrade = (request, socket) => {
    expect(request.headersDistinct['x-stream-protocol-version']).toEqual(['v4.channel.k8s.io', 'v1.channel.k8s.io']);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\nearly');
    socket.pipe(socket);
  };
  const versions = ['v4.channel.k8s.io', 'v1.channel.k8s.io'];
  const client = await server.spdy('/exec/default/web/main?output=1', { 'x-stream-protocol-version': versions });
  client.write(Buffer.alloc(300_000, 'x'));
  let length = 0;
  for await (const chunk of client) {
    length += (chunk as Buffer).length;
    if (length === 300_005) break;
  }
  await server.drained();
});

it('port-forward in a WebSocket tunnel is SPDY at the runtime', async () => {
  server.upgrade = (request, socket) => {
    expect(request.method).toBe('POST');
    expect(request.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' });
    expect(request.headers).not.toHaveProperty('sec-websocket-key');
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\nx-stream-protocol-version: portforward.k8s.io\r\n\r\n',
    );
    socket.pipe(socket);
  };
  const { client } = await server.webSocket('/portForward/default/web', 'SPDY/3.1+portforward.k8s.io');
  client.send(Buffer.from('frames'));
  const [echoed] = (await once(client, 'message')) as [Buffer];
  expect(echoed.toString()).toBe('frames');
  expect(server.translated).toEqual(['portforward']);
  client.terminate();
  await server.drained();
});

describe('a WebSocket that can end stdin is translated', () => {
  /** Opens a session, and returns both of its ends. */
  async function session(query: string, streams: number) {
    let spdy: FakeSpdyServer | undefined;
    server.upgrade = (request: IncomingMessage, socket: Duplex) => {
      expect(request.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' });
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\n');
      spdy = new FakeSpdyServer(socket);
    };
    const { client, messages } = await server.webSocket(
      `/exec/default/web/main?${query}`,
      'v5.channel.k8s.io, v4.channel.k8s.io',
    );
    while (!spdy) await new Promise((resolve) => setImmediate(resolve));
    await spdy.opened(streams);
    return { client, spdy, messages: () => messages.map((data) => `${data[0]} ${data.subarray(1)}`) };
  }

  const ended = async (client: WebSocket): Promise<number> => ((await once(client, 'close')) as [number])[0];

  it('with its streams, and the end of each', async () => {
    const { client, spdy, messages } = await session('command=sh&input=1&output=1&error=1', 4);
    client.send(Buffer.from('\0one'));
    client.send(Buffer.from('\0two'));
    client.send(Buffer.from([255, 0]));
    const stdin = spdy.streams.get('stdin')!;
    await spdy.until(() => stdin.isEnded);
    expect(stdin.received).toBe('onetwo');
    spdy.streams.get('stdout')!.write('out');
    spdy.streams.get('stderr')!.write('err');
    spdy.streams.get('error')!.write('{"metadata":{},"status":"Success"}');
    const closed = ended(client);
    spdy.close();
    expect(await closed).toBe(1000);
    expect(messages()[0]).toBe('1 ');
    expect(messages().slice(1, 3).sort()).toEqual(['1 out', '2 err']);
    expect(messages().slice(3)).toEqual(['3 {"metadata":{},"status":"Success"}']);
    await server.drained();
  });

  it('with the sizes of a terminal', async () => {
    const { client, spdy } = await session('command=sh&output=1&tty=1', 3);
    client.send(Buffer.from('\x04{"Width":80,"Height":24}'));
    await spdy.until(() => spdy.streams.get('resize')!.received !== '');
    expect(spdy.streams.get('resize')!.received).toBe('{"Width":80,"Height":24}');
    client.terminate();
    await server.drained();
  });

  it.each([
    [
      'an exit code',
      '{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}',
      { status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '3' }] } },
    ],
    ['a failure', '{"status":"Failure","message":"no such program"}', internal('no such program')],
    [
      'no exit code',
      '{"status":"Failure","reason":"NonZeroExitCode"}',
      internal('error stream protocol error: no ExitCode cause given'),
    ],
    ['an unknown status', '{"status":"Odd"}', internal('error stream protocol error: unknown error')],
    ['a broken session', '', internal('the server closed the connection')],
  ])('with the status of %s', async (_, text, expected) => {
    const { client, spdy, messages } = await session('command=sh&output=1', 2);
    if (text === '') spdy.cut();
    else {
      spdy.streams.get('error')!.write(text);
      spdy.close();
    }
    await ended(client);
    expect(messages().at(-1)).toMatch(/^3 /);
    expect(JSON.parse(messages().at(-1)!.slice(2))).toMatchObject(expected);
  });

  it('with the refusal of the streaming server as its status', async () => {
    server.upgrade = (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 8\r\n\r\nno token');
    const { client, messages } = await server.webSocket('/exec/default/web/main?output=1', 'v5.channel.k8s.io');
    await ended(client);
    expect(JSON.parse(messages.at(-1)!.subarray(1).toString())).toMatchObject(
      internal('unable to upgrade connection: no token'),
    );
    expect(server.translated).toEqual(['exec']);
  });

  it.each([
    ['goes away', (client: WebSocket) => client.terminate()],
    ['closes', (client: WebSocket) => client.close()],
    ['ends a channel that there is not', (client: WebSocket) => client.send(Buffer.from([255, 9]))],
    ['ends no channel', (client: WebSocket) => client.send(Buffer.from([255]))],
  ])('and ends when the client %s', async (_, act) => {
    const { client } = await session('command=sh&input=1&output=1', 3);
    client.on('error', () => {});
    act(client);
    await server.drained();
  });

  it('and waits for a client that does not read', async () => {
    const { client, spdy } = await session('command=yes&output=1', 2);
    client.pause();
    const text = 'x'.repeat(1_000_000);
    for (let count = 0; count < 40; count++) spdy.streams.get('stdout')!.write(text);
    spdy.streams.get('error')!.write('{"status":"Success"}');
    spdy.close();
    let length = 0;
    client.on('message', (data: Buffer) => {
      if (data[0] === 1) length += data.length - 1;
    });
    client.resume();
    await ended(client);
    expect(length).toBe(40_000_000);
  });
});

describe('run', () => {
  it('returns what a command has printed', async () => {
    const commands: string[][] = [];
    server.execSync = async ({ cmd }) => {
      commands.push([...cmd]);
      return { stdout: Buffer.from('out'), stderr: Buffer.from('err') };
    };
    expect(await server.fetch('/run/default/web/main?cmd=a+b', { method: 'POST' })).toMatchObject({
      status: 200,
      text: 'outerr',
      headers: { 'content-type': 'application/json' },
    });
    expect(commands).toEqual([['a', 'b']]);
  });

  it('says with which code it has failed', async () => {
    server.execSync = async () => ({ exitCode: 3, stderr: Buffer.from('oh') });
    expect(await server.fetch('/run/default/web/main?cmd=a+b', { method: 'POST' })).toMatchObject({
      status: 500,
      text: "command 'a b' exited with 3: oh",
    });
  });
});

function internal(why: string): object {
  return { status: 'Failure', reason: 'InternalError', code: 500, message: `Internal error occurred: ${why}` };
}
