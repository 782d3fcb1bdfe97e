import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type HandshakeLimits, Handshakes } from './handshakes.ts';

/* Uses real sockets. Instead of a TLS server, a list collects the sockets whose handshake begins. */

const begun: Socket[] = [];
const clients: Socket[] = [];
let server: Server;
let handshakes: Handshakes;

async function listen(limits: Partial<HandshakeLimits> = {}): Promise<void> {
  handshakes = new Handshakes({ timeoutMs: 60_000, maxSilent: 100, maxBegun: 100, ...limits }, (socket) =>
    begun.push(socket),
  );
  server = createServer({ allowHalfOpen: true }, (socket) => handshakes.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.destroy();
  handshakes.clear();
  for (const socket of begun.splice(0)) socket.destroy();
  server.close();
  await once(server, 'close');
});

async function client(): Promise<Socket> {
  const address = server.address();
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  clients.push(socket);
  const accepted = once(server, 'connection');
  await Promise.all([once(socket, 'connect'), accepted]);
  return socket;
}

/** A handshake record whose content is not examined. */
const record = (length: number): Buffer =>
  Buffer.concat([Buffer.from([22, 3, 1, length >> 8, length & 255]), Buffer.alloc(length)]);
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};
const closed = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
};

describe('a handshake', () => {
  it('begins when the first record is complete, with all of its bytes', async () => {
    await listen();
    const socket = await client();
    const bytes = record(300);
    socket.write(bytes.subarray(0, 4));
    await until(() => socket.bytesWritten === 4);
    socket.write(bytes.subarray(4, 200));
    socket.write(bytes.subarray(200));
    await until(() => begun.length === 1);
    expect(begun[0]?.read()).toEqual(bytes);
    expect(handshakes.counts).toEqual({ silent: 0, ready: 0, begun: 1 });
  });

  it('is not counted once it is done', async () => {
    await listen();
    (await client()).write(record(10));
    await until(() => begun.length === 1);
    handshakes.finish(begun[0]!);
    expect(handshakes.counts).toEqual({ silent: 0, ready: 0, begun: 0 });
    handshakes.clear();
    expect(begun[0]?.destroyed).toBe(false);
  });

  it.each<[string, Buffer, string]>([
    [
      'HTTP',
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    ],
    ['anything else', Buffer.from('SSH-2.0-x\r\n'), ''],
  ])('is not begun with %s', async (_, bytes, answer) => {
    await listen();
    const socket = await client();
    socket.write(bytes);
    expect(await closed(socket)).toBe(answer);
    expect(begun).toEqual([]);
  });
});

describe('connections that do not finish', () => {
  it.each<[string, Buffer]>([
    ['that are silent', Buffer.alloc(0)],
    ['that send a part of a ClientHello', record(300).subarray(0, 100)],
    ['that do not continue after our answer', record(300)],
  ])('%s are closed at the timeout', async (_, bytes) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await listen({ timeoutMs: 1000 });
    const sockets = [await client(), await client()];
    for (const socket of sockets) socket.write(bytes);
    await until(() => bytes.length < 300 || begun.length === 2);
    vi.advanceTimersByTime(900);
    expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
    vi.advanceTimersByTime(200);
    await Promise.all(sockets.map(closed));
    await until(() => handshakes.counts.silent + handshakes.counts.begun === 0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are closed, oldest first, beyond the limit of connections without a ClientHello', async () => {
    await listen({ maxSilent: 2 });
    const [first, second] = [await client(), await client()];
    const hello = await client();
    await closed(first);
    expect(second.destroyed).toBe(false);
    hello.write(record(10));
    await until(() => begun.length === 1);
    await client();
    expect(second.destroyed).toBe(false);
    expect(handshakes.counts).toEqual({ silent: 2, ready: 0, begun: 1 });
  });

  it('are closed, oldest first, beyond the limit of handshakes in progress', async () => {
    await listen({ maxBegun: 2 });
    const sockets = [await client(), await client(), await client()];
    for (const [i, socket] of sockets.entries()) {
      socket.write(record(10));
      await until(() => begun.length === i + 1);
    }
    await closed(sockets[0]!);
    expect(handshakes.counts.begun).toBe(2);
    expect(begun.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  });

  it('are not counted when their clients have disconnected', async () => {
    await listen();
    const socket = await client();
    expect(handshakes.counts.silent).toBe(1);
    socket.end();
    await until(() => handshakes.counts.silent === 0);
    expect(await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
  });
});
