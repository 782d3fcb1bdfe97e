import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import {
  type Answer,
  asAdmin,
  callHttp1,
  callHttp2,
  connectSession,
  connectSocket,
  eventually,
  readToEnd,
} from './clients.ts';

const megabyte = 1024 * 1024;
const configMaps = '/api/v1/namespaces/default/configmaps';

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({ listen: true }, { requestTimeoutMs: 1_500 });
});
afterAll(() => running.server.stop());

const configMap = (name: string, bytes: number): string =>
  JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { filler: 'x'.repeat(bytes) } });

/** Returns the current number of watches of the resource. */
const watchers = (resource: string): number => {
  const registries = running.server.registries.cacheStats();
  return [...registries].find(([groupResource]) => groupResource.resource === resource)?.[1].watchers ?? 0;
};

const request = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const authorization = `Authorization: Bearer ${tokens.admin}`;

async function onSession<T>(use: (session: Awaited<ReturnType<typeof connectSession>>) => Promise<T>): Promise<T> {
  const session = await connectSession(running.port);
  try {
    return await use(session);
  } finally {
    session.destroy();
  }
}

describe('a request that is too large', () => {
  const tooLarge = { status: 413 };
  const message = 'Request entity too large: limit is 3145728';

  it.each([
    ['a body with Content-Length', (body: string) => ({ 'content-length': String(body.length) })],
    ['a chunked body', () => ({ 'transfer-encoding': 'chunked' })],
  ])('is refused over HTTP/1.1, with a readable response: %s', async (_, headersFor) => {
    const body = configMap('large', 8 * megabyte);
    const headers = { ...asAdmin, ...headersFor(body) };
    const answer = await callHttp1(running.port, { method: 'POST', path: configMaps, headers, body });
    expect(answer).toMatchObject({ ...tooLarge, headers: { connection: 'close' } });
    expect(JSON.parse(answer.text)).toMatchObject({ message, reason: 'RequestEntityTooLarge' });
  });

  it('is refused over HTTP/2, and the connection stays open', async () => {
    await onSession(async (session) => {
      const body = configMap('large', 8 * megabyte);
      const headers = { ...asAdmin, 'content-length': String(body.length) };
      const answer = await callHttp2(session, { method: 'POST', path: configMaps, headers, body });
      expect(answer).toMatchObject(tooLarge);
      expect(JSON.parse(answer.text)).toMatchObject({ message });
      expect(await callHttp2(session, { path: '/version' })).toMatchObject({ status: 200 });
    });
  });

  it('is refused over HTTP/2 while it is being sent, and the stream is reset', async () => {
    await onSession(async (session) => {
      const stream = session.request({ ':method': 'POST', ':path': configMaps, ...asAdmin });
      stream.on('error', () => undefined);
      const send = (): void => {
        if (!stream.destroyed) stream.write(Buffer.alloc(16 * 1024, ' '), send);
      };
      send();
      const [head] = await once(stream, 'response');
      expect(head).toMatchObject({ ':status': 413 });
      stream.resume();
      await once(stream, 'close');
      expect(await callHttp2(session, { path: '/version' })).toMatchObject({ status: 200 });
    });
  });

  it('is refused in-process, too', async () => {
    const body = Buffer.from(configMap('large', 3 * megabyte));
    const answer = await running.server.transport()({ method: 'POST', url: configMaps, headers: asAdmin, body });
    expect(answer).toMatchObject(tooLarge);
  });

  it('is refused when the stored object would be too large', async () => {
    const labels = { app: 'large' };
    const containers = [{ name: 'c', image: 'i', args: ['x'.repeat(1.5 * megabyte)] }];
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    const body = JSON.stringify({ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'large' }, spec });
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const answer = await callHttp1(running.port, { method: 'POST', path, headers: asAdmin, body });
    expect(answer.status).toBe(413);
    expect(await callHttp1(running.port, { path: `${path}/large`, headers: asAdmin })).toMatchObject({ status: 404 });
  });

  it.each([
    ['a header', { 'x-filler': 'x'.repeat(200 * 1024) }, '/version'],
    ['a URL', {}, `/version?${'x'.repeat(200 * 1024)}`],
  ])('gets a 431 over HTTP/1.1 when it is %s', async (_, headers, path) => {
    const socket = await connectSocket(running.port);
    const answer = readToEnd(socket);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(request([`GET ${path} HTTP/1.1`, 'Host: x', ...lines]));
    expect(await answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  });

  it('is refused over HTTP/2 when it is the headers, and the server continues', async () => {
    await onSession(async (session) => {
      const headers = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x-${i}`, 'x'.repeat(8 * 1024)]));
      await expect(callHttp2(session, { path: '/version', headers })).rejects.toThrow();
    });
    expect(await callHttp1(running.port, { path: '/version' })).toMatchObject({ status: 200 });
  });
});

describe('a slow client', () => {
  /** Sends the head of a POST, and then a byte now and then, without ever ending the body. */
  async function drip(socket: TLSSocket, headers: readonly string[]): Promise<string> {
    const answer = readToEnd(socket);
    socket.write(request([`POST ${configMaps} HTTP/1.1`, 'Host: x', authorization, ...headers]));
    const timer = setInterval(() => socket.write(' '), 50);
    const text = await answer;
    clearInterval(timer);
    return text;
  }

  it('gets an error and a closed connection when it does not send its body over HTTP/1.1', async () => {
    const socket = await connectSocket(running.port);
    const text = await drip(socket, ['Content-Type: application/json', 'Content-Length: 10000']);
    expect(text).toMatch(/^HTTP\/1\.1 504 Gateway Timeout\r\n/);
    expect(text).toContain('request did not complete within the allotted timeout');
  });

  it('gets an error and a closed stream when it does not send its body over HTTP/2', async () => {
    await onSession(async (session) => {
      const stream = session.request({ ':method': 'POST', ':path': configMaps, ...asAdmin });
      const timer = setInterval(() => stream.write(' '), 50);
      stream.on('error', () => undefined);
      const [head] = await once(stream, 'response');
      expect(head).toMatchObject({ ':status': 504 });
      stream.resume();
      await once(stream, 'close');
      clearInterval(timer);
      expect(await callHttp2(session, { path: '/version' })).toMatchObject({ status: 200 });
    });
  });

  describe('in reading', () => {
    const names = Array.from({ length: 40 }, (_, i) => `slow-${i}`);
    beforeAll(async () => {
      for (const name of names) {
        const call = { method: 'POST', path: configMaps, headers: asAdmin, body: configMap(name, megabyte / 2) };
        expect(await callHttp1(running.port, call)).toMatchObject({ status: 201 });
      }
    });
    afterAll(async () => {
      for (const name of names)
        await callHttp1(running.port, { method: 'DELETE', path: `${configMaps}/${name}`, headers: asAdmin });
    });

    it('a list does not affect others, and is closed at the request timeout', async () => {
      const socket = await connectSocket(running.port);
      socket.write(request([`GET ${configMaps} HTTP/1.1`, 'Host: x', authorization]));
      await once(socket, 'readable');
      // Nothing is read from here on.
      const others = await Promise.all(
        Array.from({ length: 20 }, () => callHttp1(running.port, { path: `${configMaps}/slow-1`, headers: asAdmin })),
      );
      expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      const start = Date.now();
      await eventually(() => Date.now() - start > 1_600);
      expect((await readToEnd(socket)).length).toBeLessThan(40 * (megabyte / 2));
    });

    it('a watch is closed when too many bytes are queued, and its watcher is removed', async () => {
      const session = await connectSession(running.port);
      const before = watchers('configmaps');
      const stream = session.request({ ':path': `${configMaps}?watch=1`, ...asAdmin });
      stream.on('error', () => undefined);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await once(stream, 'response');
      await eventually(() => watchers('configmaps') === before + 1);
      for (let i = 0; i < 40; i++) {
        const body = configMap('slow-0', megabyte / 2 + i);
        const call = { method: 'PUT', path: `${configMaps}/slow-0`, headers: asAdmin, body };
        expect(await callHttp1(running.port, call)).toMatchObject({ status: 200 });
      }
      await eventually(() => watchers('configmaps') === before);
      await closed;
      expect(stream.rstCode).not.toBe(0);
      session.destroy();
    });
  });
});

describe('many concurrent', () => {
  it('requests get a 429 above the limit', async () => {
    const { server } = await startTestServer(
      {},
      { maxRequestsInFlight: 2, maxMutatingRequestsInFlight: 1, priorityAndFairness: false },
    );
    const transport = server.transport();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => transport({ method: 'GET', url: configMaps, headers: asAdmin })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
    expect(refused[0]).toMatchObject({ headers: { 'retry-after': '1' } });
    expect(String(refused[0]?.body)).toBe('Too many requests, please try again later.\n');
    expect(await transport({ method: 'GET', url: configMaps, headers: asAdmin })).toMatchObject({ status: 200 });
    await server.stop();
  });

  it('watches need little memory each, and leak none when their client disconnects', async () => {
    const before = watchers('secrets');
    const sessions = await Promise.all(Array.from({ length: 10 }, () => connectSession(running.port)));
    const heap = process.memoryUsage().heapUsed;
    await Promise.all(
      sessions.flatMap((session) =>
        Array.from({ length: 200 }, async () => {
          const stream = session.request({ ':path': '/api/v1/secrets?watch=1', ...asAdmin });
          stream.on('error', () => undefined);
          await once(stream, 'response');
        }),
      ),
    );
    await eventually(() => watchers('secrets') === before + 2_000);
    // This includes the clients, which are in this process, too.
    const perWatch = (process.memoryUsage().heapUsed - heap) / 2_000;
    expect(perWatch).toBeLessThan(64 * 1024);
    for (const session of sessions) session.destroy();
    await eventually(() => watchers('secrets') === before);
  });

  it('idle connections do not block others', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => connectSocket(running.port)));
    expect(await callHttp1(running.port, { path: '/version' })).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });
});

describe('a watch', () => {
  it('ends regularly at its timeout', async () => {
    const before = watchers('secrets');
    const { status, text }: Answer = await callHttp1(running.port, {
      path: '/api/v1/secrets?watch=1&timeoutSeconds=1',
      headers: asAdmin,
    });
    expect({ status, text }).toEqual({ status: 200, text: '' });
    await eventually(() => watchers('secrets') === before);
  });
});
