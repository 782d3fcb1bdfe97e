import { once } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiHandler, ApiRequest, ApiResponse, Connection } from './handler.ts';
import { createHttp1Server } from './http1-server.ts';
import { Listener } from './listener.ts';

/* Tests of clients with unusual timing of reads and writes, over raw TLS connections. */

const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const serving = issueKeyPair({ commonName: 'test', usages: ['serverAuth'], ...validity });
const clients: Socket[] = [];
let listener: Listener | undefined;
let port: number;

async function serve(handler: ApiHandler): Promise<void> {
  const { certificatePem: cert, keyPem: key } = serving;
  listener = new Listener({ host: '127.0.0.1', port: 0, tls: { cert, key }, handler });
  port = (await listener.listen()).port;
}

afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.destroy();
  const ended = listener?.close();
  listener?.force();
  await ended;
  listener = undefined;
});

/** A paused client, which reads nothing until it is resumed. */
async function client(): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  clients.push(socket);
  socket.on('error', () => {}).pause();
  await once(socket, 'secureConnect');
  return socket;
}

/** Reads until the text ends with `end` and is complete. */
function read(socket: Socket, isComplete: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const text = (): string => Buffer.concat(chunks).toString('latin1');
    const give = (): void => resolve(text());
    socket.once('close', give);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.toString('latin1', chunk.length - 3) === 'end' && isComplete(text())) give();
    });
    socket.resume();
  });
}

/** The status lines of the responses. The bodies must not contain any. */
const statuses = (text: string): string[] => text.match(/HTTP\/1\.1 \d+/g) ?? [];
const answered = (count: number) => (text: string) => statuses(text).length >= count;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;

const ok = (body: string): ApiResponse => ({ status: 200, headers: {}, body: Buffer.from(body) });
/** More than the socket buffers of both sides hold. */
const large = `${'-'.repeat(16 * 1024 * 1024)}end`;

describe('requests of one connection', () => {
  it('are read completely while the response to the previous one waits for the client', async () => {
    const lengths: number[] = [];
    let began: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      began = resolve;
    });
    await serve(async (request) => {
      lengths.push((await request.readBody(1_000_000)).length);
      if (request.path !== '/large') return ok('end');
      return {
        status: 200,
        headers: {},
        body: {
          stream: (sink) => {
            sink.write(Buffer.from(large));
            sink.end();
            began();
          },
        },
      };
    });
    const socket = await client();
    socket.write(post('/large', 50_000));
    await hasBegun;
    // Many small TLS records, so that one read of the server contains several of them.
    socket.setMaxSendFragment(512);
    socket.write(post('/next', 100_000));
    const text = await read(socket, answered(2));
    expect(statuses(text)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(lengths).toEqual([50_000, 100_000]);
  });

  it('are answered one after the other', async () => {
    const events: string[] = [];
    let finish: () => void = () => {};
    await serve(async (request) => {
      events.push(`begin ${request.path}`);
      if (request.path === '/a')
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      events.push(`end ${request.path}`);
      return ok('end');
    });
    const socket = await client();
    socket.write(get('/a') + get('/b'));
    while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    finish();
    await read(socket, answered(2));
    expect(events).toEqual(['begin /a', 'end /a', 'begin /b', 'end /b']);
  });

  it('are answered before an invalid one is refused', async () => {
    let finish: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let request: ApiRequest | undefined;
    await serve(async (given) => {
      request = given;
      await asked;
      return ok('first');
    });
    const socket = await client();
    socket.write(`${get('/a')}no request\r\n\r\n`);
    while (!request) await new Promise((resolve) => setImmediate(resolve));
    finish();
    const text = await read(socket, () => false);
    expect(statuses(text)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(text).toMatch(/first.*400 Bad Request$/s);
  });
});

it('refuses a request with an invalid body without waiting for the rest of it', async () => {
  await serve(async (request) => ok(`${(await request.readBody(1000)).length}end`));
  const socket = await client();
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n');
  expect(statuses(await read(socket, () => false))).toEqual(['HTTP/1.1 400']);
});

it('disconnects a client that does not read its response', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let request: ApiRequest | undefined;
  let gone: () => void = () => {};
  const isGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  await serve(async (given) => {
    request = given;
    given.signal.addEventListener('abort', gone);
    return ok(large);
  });
  const socket = await client();
  socket.write(get('/'));
  while (!request) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(59_000);
  expect(request.signal.aborted).toBe(false);
  vi.advanceTimersByTime(2_000);
  await isGone;
});

it.each<[string, string]>([
  ['no request', ''],
  ['a part of a head', 'GET / HTTP/1.1\r\n'],
  ['a part of a second head', `${get('/')}GET / HTTP/1.1\r\n`],
])('closes a connection without an error response when %s has arrived in time', async (_, bytes) => {
  const connection: Connection = { remoteAddress: '', protocol: 'HTTP/1.1', clientCertificates: [] };
  const http1 = createHttp1Server({
    handler: async () => ok('end'),
    connectionOf: () => connection,
    maxHeaderBytes: 1000,
    headTimeoutMs: 50,
    idleTimeoutMs: 60_000,
  });
  http1.emit('listening');
  const tcp = createServer((socket) => http1.emit('connection', socket)).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const address = tcp.address();
  const socket = connectTcp(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  socket.write(bytes);
  const text = await read(socket, () => false);
  expect(statuses(text)).toEqual(bytes.startsWith(get('/')) ? ['HTTP/1.1 200'] : []);
  http1.close();
  tcp.close();
});
