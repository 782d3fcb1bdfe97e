import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { TransportError, type TransportResponse } from '../../transport.ts';
import { Http2Pool } from './http2-pool.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type OnStream = (stream: ServerHttp2Stream, index: number) => void;

interface Started {
  readonly pool: Http2Pool;
  readonly sessions: ServerHttp2Session[];
  readonly sockets: Socket[];
  readonly clock: FakeClock;
  readonly front: Front;
  /** Called with the headers of every request. */
  onHeaders?: (headers: object) => void;
}

/** A proxy that passes bytes on until it stalls or breaks the connections. */
interface Front {
  readonly port: number;
  isStalled: boolean;
  cut(): void;
}

async function startFront(port: number): Promise<Front> {
  const sockets: Socket[] = [];
  const server = createTcpServer((near) => {
    const far = connect(port, '127.0.0.1');
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => front.isStalled || to.write(bytes));
      from.on('close', () => to.destroy());
      from.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const front: Front = { port: (server.address() as AddressInfo).port, isStalled: false, cut };
  closing.push(() => {
    cut();
    server.close();
  });
  return front;
}

/** A pool of connections without TLS, as if `alpn` had been agreed on. */
async function start(onStream: OnStream, options: { maxStreams?: number; alpn?: string } = {}): Promise<Started> {
  const { maxStreams: maxConcurrentStreams = 100, alpn = 'h2' } = options;
  const server: Http2Server = createServer({ settings: { maxConcurrentStreams } });
  const sessions: ServerHttp2Session[] = [];
  const sockets: Socket[] = [];
  let streams = 0;
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    started.onHeaders?.(headers);
    onStream(stream, streams++);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front = await startFront((server.address() as AddressInfo).port);
  const clock = new FakeClock();
  const dial = async (signal: AbortSignal): Promise<Socket> => {
    const socket = connect(front.port, '127.0.0.1');
    await once(socket, 'connect', { signal });
    sockets.push(socket);
    return Object.assign(socket, { alpnProtocol: alpn });
  };
  const fallback = { send: async () => answered('1.1'), retire() {}, close() {}, isDrained: true };
  const pool = new Http2Pool(dial, () => fallback, { authority: 'x', prefix: '', headers: {} }, clock);
  closing.push(() => {
    pool.close(new TransportError('over'));
    for (const session of sessions) session.destroy();
    server.close();
  });
  const started: Started = { pool, sessions, sockets, clock, front };
  return started;
}

const answered = (text: string): TransportResponse => ({
  status: 200,
  headers: {},
  body: { bytes: async () => Buffer.from(text), async *chunks() {}, cancel() {} },
});
const send = ({ pool }: Started, method = 'GET'): Promise<TransportResponse> =>
  pool.send({ method, url: '/', headers: {} });
const text = async (sent: Promise<TransportResponse>): Promise<string> =>
  String(Buffer.from(await (await sent).body.bytes()));
const answer: OnStream = (stream, index) => {
  stream.respond({ ':status': 200 });
  stream.end(String(index));
};

describe('Http2Pool', () => {
  it('uses one connection for all requests', async () => {
    const started = await start(answer);
    const answers = await Promise.all(Array.from({ length: 20 }, () => text(send(started))));
    expect(new Set(answers).size).toBe(20);
    expect(started.sessions.length).toBe(1);
  });

  it('supports non-ASCII headers, and several values of one', async () => {
    const started = await start((stream) => {
      stream.respond({ ':status': 200, 'x-warning': ['a', Buffer.from('ü✓').toString('latin1')] });
      stream.end();
    });
    const headers = { 'impersonate-group': ['x', 'ü'] };
    const seen = new Promise((resolve) => {
      started.onHeaders = resolve;
    });
    const response = await started.pool.send({ method: 'GET', url: '/', headers });
    expect(response.headers['x-warning']).toEqual(['a', 'ü✓']);
    expect(await seen).toMatchObject({ 'impersonate-group': Buffer.from('x, ü').toString('latin1') });
  });

  it('serves a request that follows the abort of the only waiting one', async () => {
    const started = await start(answer);
    const abort = new AbortController();
    const given = started.pool.send({ method: 'GET', url: '/', headers: {}, signal: abort.signal });
    const expected = expect(given).rejects.toThrow('enough');
    abort.abort(new Error('enough'));
    await expected;
    expect(await text(send(started))).toBe('0');
  });

  it('opens another connection when the first has no room and only streaming responses', async () => {
    const held: ServerHttp2Stream[] = [];
    const started = await start(
      (stream) => {
        held.push(stream);
        stream.respond({ ':status': 200 });
        stream.write('begun');
      },
      { maxStreams: 2 },
    );
    const bodies = [];
    for (let i = 0; i < 5; i++) bodies.push((await send(started)).body);
    expect(started.sessions.length).toBe(3);
    for (const stream of held) stream.end();
    expect(await Promise.all(bodies.map(async (body) => String(Buffer.from(await body.bytes()))))).toEqual(
      Array(5).fill('begun'),
    );
  });

  it('queues requests above the server’s stream limit', async () => {
    let most = 0;
    const open = new Set<ServerHttp2Stream>();
    const started = await start(
      (stream, index) => {
        open.add(stream);
        most = Math.max(most, open.size);
        setImmediate(() => {
          open.delete(stream);
          answer(stream, index);
        });
      },
      { maxStreams: 3 },
    );
    // The server has sent its limit before these.
    await text(send(started));
    const answers = await Promise.all(Array.from({ length: 300 }, () => text(send(started))));
    expect(new Set(answers).size).toBe(300);
    expect([most, started.sessions.length, started.clock.pending]).toEqual([3, 1, 1]);
  });

  it('opens another connection when there is no response for a while', async () => {
    const started = await start((stream, index) => void (index >= 2 && answer(stream, index)), { maxStreams: 2 });
    const slow = Promise.allSettled([send(started), send(started)]);
    while (started.sessions.length === 0) await new Promise(setImmediate);
    // Rejected by the first connection, which is at its limit, or queued.
    const quick = text(send(started));
    while (started.clock.nextInMs !== 50) await new Promise(setImmediate);
    expect(started.sessions.length).toBe(1);
    await started.clock.advance(50);
    expect(await quick).toMatch(/\d/);
    expect(started.sessions.length).toBe(2);
    started.pool.close(new TransportError('over'));
    await slow;
  });

  it('removes an aborted request from the queue', async () => {
    const held: ServerHttp2Stream[] = [];
    const started = await start((stream) => void held.push(stream), { maxStreams: 1 });
    const slow = Promise.allSettled([send(started)]);
    while (held.length === 0) await new Promise(setImmediate);
    const abort = new AbortController();
    const given = started.pool.send({ method: 'GET', url: '/', headers: {}, signal: abort.signal });
    while (started.clock.nextInMs !== 50) await new Promise(setImmediate);
    const expected = expect(given).rejects.toThrow('enough');
    abort.abort(new Error('enough'));
    await expected;
    expect(started.clock.nextInMs).not.toBe(50);
    expect(started.sessions.length).toBe(1);
    started.pool.close(new TransportError('over'));
    await slow;
  });

  it('uses another connection after GOAWAY, and lets the first complete its requests', async () => {
    const held: ServerHttp2Stream[] = [];
    const started = await start((stream, index) => {
      if (index > 0) return answer(stream, index);
      held.push(stream);
      stream.respond({ ':status': 200 });
      stream.write('old');
    });
    const old = await send(started);
    started.sessions[0]!.goaway();
    // The GOAWAY arrives before or after these requests.
    while (started.sessions.length < 2) expect(await text(send(started))).toMatch(/\d/);
    held[0]!.end('er');
    expect(String(Buffer.from(await old.body.bytes()))).toBe('older');
  });

  it('retries requests that the server did not process, once, also writes', async () => {
    const refuseFirst: OnStream = (stream, index) => (index === 0 ? stream.close(7) : answer(stream, index));
    expect(await text(send(await start(refuseFirst), 'POST'))).toBe('1');
    const refuseAll: OnStream = (stream) => stream.close(7);
    await expect(send(await start(refuseAll))).rejects.toMatchObject({
      name: 'TransportError',
      mayHaveBeenSent: false,
    });
  });

  const cuts: Record<string, (stream: ServerHttp2Stream, started: Started) => void> = {
    'with an error': (stream) => stream.destroy(new Error('broken')),
    'with an AbortError': (stream) => stream.destroy(Object.assign(new Error('given up'), { name: 'AbortError' })),
    'by a broken connection': (_, { front }) => front.cut(),
  };
  it.each(Object.entries(cuts))('reports a response that ended early, %s', async (_, cut) => {
    let stream: ServerHttp2Stream | undefined;
    const started = await start((opened) => {
      stream = opened;
      opened.respond({ ':status': 200 });
      opened.write('half');
    });
    const { body } = await send(started);
    const chunks = body.chunks()[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('half');
    cut(stream!, started);
    await expect(chunks.next()).rejects.toMatchObject({ name: 'TransportError', code: 'ECONNRESET' });
  });

  it('reports a lost connection without a response', async () => {
    const started = await start(() => started.front.cut());
    await expect(send(started)).rejects.toMatchObject({ code: 'ECONNRESET', mayHaveBeenSent: true });
  });

  it('detects a dead server on an open connection', async () => {
    const started = await start((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x');
    });
    const { body } = await send(started);
    const chunks = body.chunks()[Symbol.asyncIterator]();
    await chunks.next();
    // After silence, the server answers a ping.
    await started.clock.advance(60_000);
    while (started.clock.nextInMs !== 30_000) await new Promise(setImmediate);
    started.front.isStalled = true;
    const failed = expect(chunks.next()).rejects.toMatchObject({ name: 'TransportError', code: 'ETIMEDOUT' });
    await started.clock.advance(30_000 + 30_000 + 15_000);
    await failed;
  });

  it('closes an idle connection', async () => {
    const started = await start(answer);
    await text(send(started));
    const closed = once(started.sessions[0]!, 'close');
    await started.clock.advance(90_000);
    await closed;
    expect(started.pool.isDrained).toBe(true);
    expect(started.clock.pending).toBe(0);
  });

  it('falls back to HTTP/1.1', async () => {
    const started = await start(answer, { alpn: 'http/1.1' });
    expect(await Promise.all([text(send(started)), text(send(started))])).toEqual(['1.1', '1.1']);
    expect(started.sockets.length).toBe(1);
    expect(started.sockets[0]!.destroyed).toBe(true);
  });

  it('does not let a slow reader block others', async () => {
    const started = await start((stream, index) => {
      stream.respond({ ':status': 200 });
      if (index === 0) stream.end(Buffer.alloc(8 * 1024 * 1024));
      else stream.end('quick');
    });
    const slow = await send(started);
    for (let i = 0; i < 20; i++) expect(await text(send(started))).toBe('quick');
    expect((await slow.body.bytes()).length).toBe(8 * 1024 * 1024);
  });
});
