import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { afterEach, describe, expect, it } from 'vitest';
import type { RestConfig } from '../../config/rest-config.ts';
import { TransportError, type TransportRequest } from '../transport.ts';
import { NodeTransport } from './node-transport.ts';
import { ok, type RawServer, rawServer } from './raw-server.test-data.ts';

let server: RawServer;
let transport: NodeTransport;
afterEach(async () => {
  await transport.close();
  await server.close();
});

async function start(onRequest: Parameters<typeof rawServer>[0], config: Partial<RestConfig> = {}): Promise<void> {
  server = await rawServer(onRequest);
  transport = new NodeTransport({ server: server.url, ...config }, { environment: {} });
}

async function send(method = 'GET', more: Partial<TransportRequest> = {}): Promise<string> {
  const { status, body } = await transport.send({ method, url: '/', headers: {}, ...more });
  return `${status} ${new TextDecoder().decode(await body.bytes())}`;
}

const reset = (socket: Socket): void => void socket.resetAndDestroy();

describe('responses that the client supports', () => {
  const gzipped = gzipSync('compressed');
  const answers: Record<string, { bytes: (string | Buffer)[]; text: string; isKept: boolean }> = {
    'with a length': { bytes: [ok('abc')], text: '200 abc', isKept: true },
    'in chunks, with extensions and trailers': {
      bytes: [
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nt: 1\r\n\r\n',
      ],
      text: '200 abc0123456789',
      isKept: true,
    },
    'in single bytes': { bytes: [...ok('abc')], text: '200 abc', isKept: true },
    'of HTTP/1.0, until the end of the connection': {
      bytes: ['HTTP/1.0 200 OK\r\n\r\nabc', ''],
      text: '200 abc',
      isKept: false,
    },
    'that close the connection': { bytes: [ok('abc', 'connection: close\r\n')], text: '200 abc', isKept: false },
    'with both content-length and chunks, after which the connection is closed': {
      bytes: ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'],
      text: '200 a',
      isKept: false,
    },
    'after an informational one': {
      bytes: [`HTTP/1.1 103 Early\r\nlink: x\r\n\r\n${ok('abc')}`],
      text: '200 abc',
      isKept: true,
    },
    'without a body': { bytes: ['HTTP/1.1 204 No Content\r\n\r\n'], text: '204 ', isKept: true },
    'that are compressed': {
      bytes: [`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${gzipped.length}\r\n\r\n`, gzipped],
      text: '200 compressed',
      isKept: true,
    },
  };
  it.each(Object.entries(answers))('%s', async (_, { bytes, text, isKept }) => {
    await start(async (socket) => {
      for (const piece of bytes) {
        if (piece === '') socket.end();
        else await new Promise((resolve) => socket.write(piece, resolve));
      }
    });
    expect(await send()).toBe(text);
    expect(await send()).toBe(text);
    expect(server.connections.length).toBe(isKept ? 1 : 2);
  });
});

describe('invalid responses', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const broken: Record<string, { bytes: string; end?: (socket: Socket) => void; message: RegExp }> = {
    'not HTTP at all': { bytes: 'SSH-2.0-OpenSSH_9\r\n', message: /does not speak HTTP/ },
    'an invalid status': { bytes: 'HTTP/1.1 abc\r\n\r\n', message: /does not speak HTTP/ },
    'a header without a colon': { bytes: `${head}nonsense\r\n\r\n`, message: /header is invalid/ },
    'two lengths': {
      bytes: `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
      message: /content-length .* invalid/,
    },
    'an invalid length': { bytes: `${head}content-length: -1\r\n\r\n`, message: /content-length .* invalid/ },
    'an unknown coding': { bytes: `${head}transfer-encoding: br\r\n\r\n`, message: /unsupported transfer-encoding/ },
    'an invalid chunk size': {
      bytes: `${head}transfer-encoding: chunked\r\n\r\nxyz\r\n`,
      message: /size of a chunk/,
    },
    'a chunk longer than its size': {
      bytes: `${head}transfer-encoding: chunked\r\n\r\n1\r\nab\r\n`,
      message: /chunk is longer/,
    },
    'a head without end': { bytes: `${head}x: ${'y'.repeat(300_000)}`, message: /head .* too long/ },
    'a truncated body': {
      bytes: `${head}content-length: 10\r\n\r\nhalf`,
      end: (socket) => socket.end(),
      message: /before the end/,
    },
    'a truncated chunk': {
      bytes: `${head}transfer-encoding: chunked\r\n\r\nA\r\nhalf`,
      end: (socket) => socket.end(),
      message: /before the end/,
    },
    'a body that is not valid gzip': {
      bytes: `${head}content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc`,
      message: /not valid gzip/,
    },
  };
  it.each(Object.entries(broken))('%s', async (_, { bytes, end, message }) => {
    await start((socket) => {
      socket.write(bytes);
      end?.(socket);
    });
    const failed = send();
    await expect(failed).rejects.toBeInstanceOf(TransportError);
    await expect(failed).rejects.toThrow(message);
  });

  it('the received part of a broken body can be read', async () => {
    await start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
      setImmediate(() => reset(socket));
    });
    const { body } = await transport.send({ method: 'GET', url: '/', headers: {} });
    let text = '';
    const read = (async () => {
      for await (const chunk of body.chunks()) text += new TextDecoder().decode(chunk);
    })();
    await expect(read).rejects.toMatchObject({ name: 'TransportError', code: 'ECONNRESET' });
    expect(text).toBe('half');
  });
});

describe('connections', () => {
  it('are reused, as many as there are concurrent requests', async () => {
    await start((socket) => socket.write(ok()));
    for (let i = 0; i < 3; i++) await Promise.all(Array.from({ length: 5 }, () => send()));
    expect(server.connections.length).toBe(5);
  });

  it('that the server has closed are not reused', async () => {
    await start((socket) => socket.end(ok()));
    await send();
    await once(server.connections[0]!, 'close');
    await new Promise(setImmediate);
    expect(await send('POST')).toBe('200 ok');
  });

  it('that the server closes during a read are replaced, once', async () => {
    await start((socket, _, index, connection) => (connection === 0 && index > 0 ? reset(socket) : socket.write(ok())));
    await send();
    expect(await send()).toBe('200 ok');
    expect(server.connections.length).toBe(2);
  });

  it('that the server closes during a write are an error, because it may have been processed', async () => {
    await start((socket, _, index) => (index > 0 ? reset(socket) : socket.write(ok())));
    await send();
    await expect(send('POST')).rejects.toMatchObject({ code: 'ECONNRESET', mayHaveBeenSent: true });
  });

  it('that are closed during their first request are an error', async () => {
    await start((socket) => reset(socket));
    await expect(send()).rejects.toMatchObject({ name: 'TransportError', code: 'ECONNRESET' });
    expect(server.connections.length).toBe(1);
  });

  it('that are refused are an error with mayHaveBeenSent false', async () => {
    await start(() => {});
    await server.close();
    await expect(send()).rejects.toMatchObject({ code: 'ECONNREFUSED', mayHaveBeenSent: false });
  });

  it('are closed when the server sends an unexpected response', async () => {
    await start((socket) => socket.write(ok() + ok('more')));
    expect([await send(), await send()]).toEqual(['200 ok', '200 ok']);
    expect(server.connections.length).toBe(2);
  });

  it('are closed after an idle timeout', async () => {
    const clock = new FakeClock();
    await start((socket) => socket.write(ok()), { clock });
    await send();
    const closed = once(server.connections[0]!, 'close');
    await clock.advance(140_000);
    await closed;
    expect(clock.pending).toBe(0);
  });

  it('are not reused shortly before the server’s keep-alive timeout', async () => {
    const clock = new FakeClock();
    await start((socket) => socket.write(ok('ok', 'keep-alive: timeout=5\r\n')), { clock });
    await send();
    await clock.advance(3999);
    await send();
    expect(server.connections.length).toBe(1);
    await clock.advance(4001);
    await send();
    expect(server.connections.length).toBe(2);
  });

  it('that are being opened while another becomes free are opened completely, and used later', async () => {
    await start((socket) => socket.write(ok()));
    for (let i = 0; i < 20; i++) await Promise.all([send(), send().then(() => send()), send()]);
    expect(server.connections.length).toBeLessThanOrEqual(3);
  });

  it('are not opened for each of very many requests; these wait for open connections', async () => {
    await start((socket) => socket.write(ok()), { clock: new FakeClock() });
    await Promise.all(Array.from({ length: 500 }, () => send()));
    expect(server.connections.length).toBeLessThanOrEqual(32);
  });

  it('are opened in addition to any number of streaming responses', async () => {
    await start(
      (socket, request) => {
        if (request.includes('/watch')) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n');
        else socket.write(ok());
      },
      { clock: new FakeClock() },
    );
    const watches = await Promise.all(
      Array.from({ length: 70 }, () => transport.send({ method: 'GET', url: '/watch', headers: {} })),
    );
    expect(await send()).toBe('200 ok');
    for (const { body } of watches) body.cancel();
  });

  it('are opened beyond the limit when there is no response for a while', async () => {
    const clock = new FakeClock();
    await start((socket, request) => void (request.includes('/slow') || socket.write(ok())), { clock });
    const slow = Array.from({ length: 32 }, () => send('GET', { url: '/slow' }));
    const unanswered = Promise.allSettled(slow);
    while (server.connections.length < 32) await new Promise(setImmediate);
    const quick = send();
    await clock.advance(50);
    expect(await quick).toBe('200 ok');
    await transport.close();
    await unanswered;
  });

  it('are few at first without responses, so that a busy server does not get more handshakes', async () => {
    const clock = new FakeClock();
    await start(() => {}, { clock });
    const unanswered = Promise.allSettled(Array.from({ length: 100 }, () => send()));
    for (const expected of [32, 33, 35, 39, 47, 63, 95, 100]) {
      while (server.connections.length < expected) await new Promise(setImmediate);
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      expect(server.connections.length).toBe(expected);
      await clock.advance(50);
    }
    await transport.close();
    await unanswered;
  });

  it('of a cancelled body are closed', async () => {
    await start((socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n'));
    const { body } = await transport.send({ method: 'GET', url: '/', headers: {} });
    const closed = once(server.connections[0]!, 'close');
    body.cancel();
    await closed;
  });

  it('are closed with the transport, and requests in progress are rejected', async () => {
    await start((socket, _, index) => index === 0 && socket.write(ok()));
    await send();
    const failed = expect(send('POST')).rejects.toThrow('the transport was closed');
    const closed = once(server.connections[0]!, 'close');
    await transport.close();
    await failed;
    await closed;
  });

  it('are closed if their request is aborted while they are opened', async () => {
    await start((socket) => socket.write(ok()));
    const abort = new AbortController();
    const sent = send('GET', { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    await new Promise(setImmediate);
    await Promise.all(server.connections.map((socket) => socket.destroyed || once(socket, 'close')));
    expect(await send()).toBe('200 ok');
  });

  it('that cannot be opened in time are an error', async () => {
    const clock = new FakeClock();
    await start((socket) => socket.write(ok()));
    // A TLS handshake with a server that never responds.
    const silent = new NodeTransport({ server: server.url.replace('http:', 'https:'), clock }, { environment: {} });
    const failed = silent.send({ method: 'GET', url: '/', headers: {} });
    const expected = expect(failed).rejects.toMatchObject({ code: 'ETIMEDOUT', mayHaveBeenSent: false });
    await clock.whenWaiting();
    while (server.connections.length === 0) await new Promise(setImmediate);
    await clock.advance(30_000);
    await expected;
  });
});

describe('requests', () => {
  it('have a host, a length, and one line for every value of a header', async () => {
    const requests: string[] = [];
    await start((socket, request) => {
      requests.push(request);
      socket.write(ok());
    });
    await transport.send({
      method: 'POST',
      url: '/a?b=c',
      headers: { 'impersonate-group': ['x', 'y'] },
      body: new TextEncoder().encode('{}'),
    });
    const host = new URL(server.url).host;
    expect(requests[0]!.split('\r\n')).toEqual([
      'POST /a?b=c HTTP/1.1',
      `host: ${host}`,
      'accept-encoding: gzip',
      'impersonate-group: x',
      'impersonate-group: y',
      'content-length: 2',
    ]);
  });

  it('have the server’s base path', async () => {
    server = await rawServer((socket, request) => socket.write(ok(request.split('\r\n')[0])));
    transport = new NodeTransport({ server: `${server.url}/k8s/c1/`, disableCompression: true }, { environment: {} });
    expect(await send()).toBe('200 GET /k8s/c1/ HTTP/1.1');
  });

  const smuggling: Partial<TransportRequest>[] = [
    { headers: { a: 'b\r\nc: d' } },
    { headers: { 'a b': 'c' } },
    { url: '/a b' },
    { url: '/\r\nx: y' },
    { method: 'GET /x' },
  ];
  it.each(smuggling)('cannot smuggle others: %j', async (smuggled) => {
    await start((socket) => socket.write(ok()));
    await expect(transport.send({ method: 'GET', url: '/', headers: {}, ...smuggled })).rejects.toThrow(TypeError);
    expect(server.connections.length).toBe(0);
  });

  it('have backpressure for a slow reader, and lose nothing', async () => {
    const piece = 'x'.repeat(64 * 1024);
    let unsent = 0;
    await start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 67108864\r\n\r\n');
      for (let i = 0; i < 1024; i++) socket.write(piece);
      unsent = socket.writableLength;
    });
    const { body } = await transport.send({ method: 'GET', url: '/', headers: {} });
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
    unsent = server.connections[0]!.writableLength;
    // The client and the kernel buffer only little of it.
    expect(unsent).toBeGreaterThan(32 * 1024 * 1024);
    expect((await body.bytes()).length).toBe(67108864);
  });
});

it('closes a compressed stream when its reader stops', async () => {
  const gzipped = gzipSync('x'.repeat(1000));
  await start((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(Buffer.concat([Buffer.from(`${gzipped.length.toString(16)}\r\n`), gzipped, Buffer.from('\r\n')]));
  });
  const { body } = await transport.send({ method: 'GET', url: '/', headers: {} });
  const closed = once(server.connections[0]!, 'close');
  for await (const chunk of body.chunks()) {
    expect(chunk.length).toBe(1000);
    break;
  }
  await closed;
});
