import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { TransportError, UpgradeRefusedError, type WebSocketConnection } from '../../transport.ts';
import { openWebSocket, type WebSocketTarget } from './web-socket.ts';

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

let server: Server;
const sockets = new Set<Duplex>();
const webSockets = new WebSocketServer({ noServer: true });
let onUpgrade: OnUpgrade;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (request, socket, head) => onUpgrade(request, socket, head));
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server, 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** The next accepted WebSocket. */
let accepted: Promise<WebSocket>;
beforeEach(() => {
  accepted = new Promise((resolve) => {
    onUpgrade = (request, socket, head) => webSockets.handleUpgrade(request, socket, head, resolve);
  });
});

function open(options: Partial<WebSocketTarget> = {}): Promise<WebSocketConnection> {
  const { port } = server.address() as AddressInfo;
  return openWebSocket({
    url: new URL(`https://127.0.0.1:${port}/path?a=b`),
    headers: { authorization: 'Bearer me', 'x-two': ['1', '2'] },
    protocols: ['v5.channel.k8s.io'],
    createConnection: () => connect(port, '127.0.0.1'),
    ...options,
  });
}

async function all(connection: WebSocketConnection): Promise<string[]> {
  const messages: string[] = [];
  for await (const message of connection.messages()) messages.push(Buffer.from(message).toString());
  return messages;
}

describe('openWebSocket', () => {
  it('sends the headers and offers the protocols', async () => {
    const requested = new Promise<IncomingMessage>((resolve) => {
      onUpgrade = (request, socket, head) => {
        resolve(request);
        webSockets.handleUpgrade(request, socket, head, (webSocket) => webSocket.close());
      };
    });
    const connection = await open({ protocols: ['a', 'b'] });
    expect(connection.protocol).toBe('a');
    const { url, headers } = await requested;
    expect([url, headers]).toEqual([
      '/path?a=b',
      expect.objectContaining({
        host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        authorization: 'Bearer me',
        'x-two': '1, 2',
        'sec-websocket-protocol': 'a, b',
      }),
    ]);
    expect(await all(connection)).toEqual([]);
  });

  it('exchanges messages', async () => {
    const connection = await open();
    const other = await accepted;
    other.on('message', (message) => other.send(message));
    const messages = connection.messages()[Symbol.asyncIterator]();
    for (const text of ['one', '', 'two', 'x'.repeat(200_000)]) {
      await connection.send(Buffer.from(text));
      expect(Buffer.from((await messages.next()).value!).toString()).toBe(text);
    }
    connection.close();
    expect(await messages.next()).toEqual({ done: true, value: undefined });
    expect(await once(other, 'close')).toEqual([1000, Buffer.alloc(0)]);
    await expect(connection.send(Buffer.of(1))).rejects.toBeInstanceOf(TransportError);
  });

  it('returns the messages received before the end', async () => {
    const connection = await open();
    const other = await accepted;
    for (const text of ['one', 'two']) other.send(text);
    other.close(1000);
    expect(await all(connection)).toEqual(['one', 'two']);
  });

  it('has backpressure in both directions', async () => {
    const connection = await open();
    const other = await accepted;
    const chunk = Buffer.alloc(100_000, 'x');
    let sent = 0;
    const count = 600;
    for (let index = 0; index < count; index++) other.send(chunk, () => sent++);
    const messages = connection.messages()[Symbol.asyncIterator]();
    await messages.next();
    expect(sent).toBeLessThan(count);
    for (let index = 1; index < count; index++) await messages.next();
    await expect.poll(() => sent).toBe(count);

    other.pause();
    let taken = 0;
    const sending = (async () => {
      for (let index = 0; index < count; index++) {
        await connection.send(chunk);
        taken++;
      }
    })();
    let before = -1;
    await expect
      .poll(() => {
        const isStalled = taken > 0 && taken === before;
        before = taken;
        return isStalled;
      })
      .toBe(true);
    expect(taken).toBeLessThan(count);
    other.resume();
    await sending;
    connection.close();
  });

  it.each([
    ['is broken', (other: WebSocket) => other.terminate()],
    ['is closed with an error code', (other) => other.close(1011, 'no idea')],
  ] satisfies [string, (other: WebSocket) => void][])('throws when the connection %s', async (_, act) => {
    const connection = await open();
    act(await accepted);
    await expect(all(connection)).rejects.toBeInstanceOf(TransportError);
    await expect(connection.send(Buffer.of(1))).rejects.toBeInstanceOf(TransportError);
  });

  it('throws the reason of its signal, and closes the connection', async () => {
    const controller = new AbortController();
    const connection = await open({ signal: controller.signal });
    const other = await accepted;
    const reading = all(connection);
    const enough = new Error('enough');
    controller.abort(enough);
    await expect(reading).rejects.toBe(enough);
    await once(other, 'close');
  });
});

describe('openWebSocket rejects', () => {
  it('with the response when the server does not upgrade', async () => {
    onUpgrade = (_, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nx-a: b\r\nconnection: close\r\ncontent-length: 4\r\n\r\nnope');
    const refused = await open().catch((error: unknown) => error);
    if (!(refused instanceof UpgradeRefusedError)) throw new Error('not refused', { cause: refused });
    const { status, headers, body } = refused.response;
    expect([status, headers['x-a'], Buffer.from(await body.bytes()).toString()]).toEqual([403, 'b', 'nope']);
  });

  it('with the beginning of a response that is too long', async () => {
    onUpgrade = (_, socket) => {
      socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
      socket.write('x'.repeat(1_000_000));
    };
    const refused = await open().catch((error: unknown) => error);
    if (!(refused instanceof UpgradeRefusedError)) throw new Error('not refused', { cause: refused });
    expect((await refused.response.body.bytes()).length).toBe(64 * 1024);
  });

  it.each<[string, OnUpgrade]>([
    ['closes', (_, socket) => socket.destroy()],
    ['does not speak HTTP', (_, socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
    [
      'proves nothing',
      (_, socket) =>
        socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'),
    ],
    [
      'chooses a subprotocol that was not offered',
      (request, socket, head) => {
        request.headers['sec-websocket-protocol'] = 'other';
        webSockets.handleUpgrade(request, socket, head, () => {});
      },
    ],
  ])('with a TransportError when the server %s', async (_, act) => {
    onUpgrade = act;
    await expect(open()).rejects.toBeInstanceOf(TransportError);
  });

  it('with the reason of its signal, at any time', async () => {
    const enough = new Error('enough');
    await expect(open({ signal: AbortSignal.abort(enough) })).rejects.toBe(enough);
    const connecting = new AbortController();
    const createConnection = async () => {
      connecting.abort(enough);
      return connect((server.address() as AddressInfo).port, '127.0.0.1');
    };
    await expect(open({ signal: connecting.signal, createConnection })).rejects.toBe(enough);
    const waiting = new AbortController();
    onUpgrade = () => waiting.abort(enough);
    await expect(open({ signal: waiting.signal })).rejects.toBe(enough);
  });
});

describe('pings', () => {
  it('are sent every five seconds, and the connection is closed after a minute of silence', async () => {
    const clock = new FakeClock();
    const connection = await open({ clock });
    const other = await accepted;
    const reading = all(connection);
    reading.catch(() => {});
    for (let count = 0; count < 2; count++) {
      const pinged = once(other, 'ping');
      await clock.advance(5_000);
      await pinged;
    }
    // The server stops responding.
    other.pause();
    await clock.advance(70_000);
    await expect(reading).rejects.toThrow('no response to pings');
    expect(clock.pending).toBe(0);
  });

  it('stop when the connection is closed', async () => {
    const clock = new FakeClock();
    const connection = await open({ clock });
    const other = await accepted;
    other.close(1000);
    await all(connection);
    expect(clock.pending).toBe(0);
  });

  it('leave nothing behind when the other side sends no close frame', async () => {
    const clock = new FakeClock();
    const connection = await open({ clock });
    const other = await accepted;
    other.pause();
    connection.close();
    expect(clock.pending).toBe(1);
    await clock.advance(2_000);
    expect(clock.pending).toBe(0);
    other.resume();
    await once(other, 'close');
  });
});
