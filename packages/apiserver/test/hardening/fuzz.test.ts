import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemOf } from './answer-checks.ts';
import { type Answer, connectSession, connectSocket, readToEnd } from './clients.ts';
import { Dice } from './dice.ts';
import { described, FuzzServer, firstSeed, fuzzRuns } from './fuzz-server.ts';
import { type HostileRequest, hostileRequest, kinds } from './hostile-requests.ts';
import { planted } from './hostile-values.ts';

const runs = fuzzRuns(900);
let fuzz: FuzzServer;

beforeAll(async () => {
  fuzz = await FuzzServer.start();
  for (const { collection, object } of kinds) await fuzz.sendJson('POST', collection, object);
});
afterAll(() => fuzz.stop());

/**
 * Sends a request over a socket as raw bytes, without a client library. Waits for the response without a timeout, so there is none
 * only when the server has closed the connection. Responses that do not end are watches.
 */
async function sendRaw({ method, url, headers, body = new Uint8Array(0) }: HostileRequest): Promise<Answer> {
  const socket = await connectSocket(fuzz.running.port);
  let timer: NodeJS.Timeout | undefined;
  socket.once('data', () => {
    timer = setTimeout(() => socket.destroy(), 1_000);
  });
  const received = readToEnd(socket);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${lines.join('')}\r\n`;
  socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  const text = await received;
  clearTimeout(timer);
  const [top = '', ...rest] = text.split('\r\n\r\n');
  const [, status = '0'] = top.split(' ', 2);
  const type = /^content-type: (.*)$/im.exec(top)?.[1] ?? '';
  const chunked = /^transfer-encoding: chunked$/im.test(top);
  return {
    status: Number(status),
    // Chunked responses are long ones. Their content is checked by the in-process test.
    headers: { 'content-type': chunked ? 'application/octet-stream' : type },
    text: rest.join('\r\n\r\n'),
  };
}

/** Writes by the server itself, and addresses that a refused service has reserved and released. */
const passing = /^\/registry\/(leases|masterleases|ipaddresses)\//;

describe('random requests', () => {
  it('get valid responses in time, and change nothing when they are refused', { timeout: 3_600_000 }, async () => {
    expect(await fuzz.problems(runs, hostileRequest, (key) => passing.test(key))).toEqual([]);
    expect(fuzz.stray).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('get valid responses over a socket', { timeout: 600_000 }, async () => {
    const problems: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + Math.min(runs / 4, 5_000); seed++) {
      const request = hostileRequest(new Dice(seed));
      if (/[?&]watch|\/watch\//.test(request.url)) continue;
      const answer = await sendRaw(request);
      const problem = problemOf(request, answer);
      if (problem) problems.push(`${problem}, seed ${seed}: ${described(request)} ${answer.text.slice(0, 300)}`);
    }
    expect(problems).toEqual([]);
    expect(fuzz.stray).toEqual([]);
  });

  it('leak no memory', { timeout: 600_000 }, async () => {
    expect(await fuzz.growth(hostileRequest, 200)).toBeLessThan(4 * 1024 * 1024);
  });

  it('leave no secrets in the log', () => {
    expect(fuzz.running.log.filter((line) => line.includes(planted) || line.includes('token-of-'))).toEqual([]);
  });
});

describe('bytes that are not valid HTTP/1.1', () => {
  const smuggled = 'GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    ['nothing but line breaks', '\r\n\r\n\r\n'],
    ['no version', 'GET /\r\n\r\n'],
    ['an old version', 'GET /version HTTP/0.9\r\n\r\n'],
    ['a future version', 'GET /version HTTP/3.7\r\n\r\n'],
    ['a method in lower case', 'get /version HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no host', 'GET /version HTTP/1.1\r\n\r\n'],
    ['a header without a name', 'GET /version HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['a header with a space in its name', 'GET /version HTTP/1.1\r\nHost: x\r\nAuthorization : y\r\n\r\n'],
    ['a folded header', 'GET /version HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    ['bare line feeds', 'GET /version HTTP/1.1\nHost: x\n\n'],
    ['a zero byte', 'GET /version HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n'],
    ['two lengths', `POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n${smuggled}`],
    [
      'a length and chunks',
      `POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'chunks that are not last',
      `POST /version HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'chunks by another name',
      `POST /version HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ['a bad chunk', 'POST /version HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'],
    [
      'a chunk without end',
      'POST /version HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n',
    ],
    ['a negative length', 'POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['HTTP/2 in clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS record', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3]).toString('latin1')],
    ['a tunnel', 'CONNECT /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'an upgrade to HTTP/2',
      'GET /version HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n',
    ],
    ['an odd expectation', 'GET /version HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n'],
  ])('get at most one response: %s', async (_, bytes) => {
    const socket = await connectSocket(fuzz.running.port);
    const received = readToEnd(socket);
    socket.write(Buffer.from(bytes, 'latin1'));
    // If the server has not closed the connection by then, it waits for the next request.
    setTimeout(() => socket.end(), 150);
    const text = await received;
    const heads = text.match(/HTTP\/1\.1 \d{3} /g) ?? [];
    expect(heads.length).toBeLessThanOrEqual(1);
    expect(text === '' || /^HTTP\/1\.1 (200|400|403|405|417|505) /.test(text)).toBe(true);
    expect(text).not.toContain('SecretList');
    expect(fuzz.stray).toEqual([]);
  });

  it('may be random', async () => {
    const dice = new Dice(firstSeed);
    for (let i = 0; i < 60; i++) {
      const socket = await connectSocket(fuzz.running.port, dice.pick(['h2', 'http/1.1']));
      socket.resume();
      socket.write(
        Buffer.concat([
          Buffer.from(dice.pick(['', 'GET / HTTP/1.1\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'])),
          dice.bytes(200),
        ]),
      );
      setTimeout(() => socket.destroy(), 20);
    }
    expect(await sendRaw({ method: 'GET', url: '/version', headers: {} })).toMatchObject({ status: 200 });
    expect(fuzz.stray).toEqual([]);
  });
});

describe('floods of HTTP/2', () => {
  const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  };
  const [headers, priority, reset, settings, ping, goaway, window, continuation] = [1, 2, 3, 4, 6, 7, 8, 9];
  const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(settings, 0, 0)]);
  const literal = (name: string, value: string): Buffer =>
    Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
  const get = Buffer.concat(
    [
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', '/version'],
      [':authority', 'x'],
    ].map(([name = '', value = '']) => literal(name, value)),
  );
  const many = (count: number, make: (index: number) => Buffer): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));
  const stream = (index: number): number => index * 2 + 1;
  const word = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };

  it.each<[string, Buffer]>([
    [
      'resets',
      many(5_000, (i) => Buffer.concat([frame(headers, 5, stream(i), get), frame(reset, 0, stream(i), word(8))])),
    ],
    ['streams', many(5_000, (i) => frame(headers, 5, stream(i), get))],
    ['streams that never end', many(1_000, (i) => frame(headers, 4, stream(i), get))],
    ['settings', many(20_000, () => frame(settings, 0, 0))],
    ['pings', many(20_000, () => frame(ping, 0, 0, Buffer.alloc(8)))],
    ['priorities', many(20_000, (i) => frame(priority, 0, stream(i), Buffer.alloc(5)))],
    ['empty continuations', Buffer.concat([frame(headers, 0, 1, get), many(20_000, () => frame(continuation, 0, 1))])],
    [
      'full continuations',
      Buffer.concat([
        frame(headers, 0, 1, get),
        many(300, () =>
          frame(
            continuation,
            0,
            1,
            Buffer.concat(Array.from({ length: 400 }, (_, i) => literal(`x${i}`, 'y'.repeat(30)))),
          ),
        ),
      ]),
    ],
    ['windows that overflow', many(3, () => frame(window, 0, 0, word(0x7fffffff)))],
    ['empty data', Buffer.concat([frame(headers, 4, 1, get), many(20_000, () => frame(0, 0, 1))])],
    ['unknown frames', many(20_000, () => frame(0xee, 0, 0, Buffer.alloc(3)))],
    ['goodbyes', many(1_000, () => frame(goaway, 0, 0, Buffer.alloc(8)))],
    ['a frame that is too large', frame(headers, 5, 1, Buffer.alloc(100_000))],
    ['headers that refer to nothing', frame(headers, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]))],
    [
      'a table that is too large',
      frame(headers, 5, 1, Buffer.concat([Buffer.from([0x3f, 0xe1, 0xff, 0xff, 0x07]), get])),
    ],
    ['an even stream', frame(headers, 5, 2, get)],
    ['two paths', frame(headers, 5, 1, Buffer.concat([get, literal(':path', '/api/v1/secrets')]))],
    ['a late pseudo-header', frame(headers, 5, 1, Buffer.concat([literal('a', 'b'), get]))],
    ['a header in capitals', frame(headers, 5, 1, Buffer.concat([get, literal('Authorization', 'x')]))],
    ['a header of HTTP/1.1', frame(headers, 5, 1, Buffer.concat([get, literal('transfer-encoding', 'chunked')]))],
  ])('do not affect other connections: %s', async (_, bytes) => {
    const socket = await connectSocket(fuzz.running.port, 'h2');
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(Buffer.concat([preface, bytes]), () => resolve());
    });
    // Other clients are served meanwhile.
    const session = await connectSession(fuzz.running.port);
    const answered = session.request({ ':path': '/version' });
    const [head] = await new Promise<[Record<string, unknown>]>((resolve) =>
      answered.once('response', (h) => resolve([h])),
    );
    expect(head).toMatchObject({ ':status': 200 });
    session.destroy();
    socket.destroy();
    await closed;
    expect(fuzz.stray).toEqual([]);
  });
});
