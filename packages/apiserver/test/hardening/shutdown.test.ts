import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore, openMemoryStore } from '@coxswain/storage';
import { describe, expect, it } from 'vitest';
import { newTestServer, startTestServer, type TestServer } from '../test-server.ts';
import { asAdmin, callHttp1, callHttp2, connectSession, connectSocket, eventually } from './clients.ts';
import { WrappedStore } from './wrapped-store.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, bytes = 1): string =>
  JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: 'x'.repeat(bytes) } });
const create = (name: string, bytes?: number) => ({
  method: 'POST',
  path: configMaps,
  headers: asAdmin,
  body: configMap(name, bytes),
});

/** Returns a gate for writes, which wait while it is closed. */
function gate(store: WrappedStore): { waiting: () => number; open: () => void } {
  let waiting = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  store.before = async (operation, key) => {
    if (operation !== 'put' || !key.includes('/configmaps/')) return;
    waiting++;
    await opened;
  };
  return { waiting: () => waiting, open };
}

/** Returns the active resources that may keep a process alive. */
const handles = (): string[] => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate');

describe('a stopping server', () => {
  it('is not ready, and continues to serve during the shutdown delay', async () => {
    const { server, port } = await startTestServer({ listen: true }, { shutdownDelayMs: 400 });
    const stopped = server.stop();
    expect(await callHttp1(port, { path: '/readyz' })).toMatchObject({ status: 500 });
    expect(await callHttp1(port, { path: '/livez' })).toMatchObject({ status: 200 });
    expect(await callHttp1(port, create('late'))).toMatchObject({ status: 201 });
    await stopped;
    await expect(callHttp1(port, { path: '/readyz' })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('ends watches regularly, and sends GOAWAY', async () => {
    const { server, port } = await startTestServer({ listen: true });
    const session = await connectSession(port);
    const goaway = new Promise((resolve) => session.once('goaway', (code) => resolve(code)));
    const stream = session.request({ ':path': `${configMaps}?watch=1`, ...asAdmin });
    stream.resume();
    await once(stream, 'response');
    const ended = once(stream, 'end');
    // The server itself has watches, too.
    const before = watchersOf(server);
    const http1 = callHttp1(port, { path: `${configMaps}?watch=1&resourceVersion=1`, headers: asAdmin });
    await eventually(() => watchersOf(server) === before + 1);
    await Promise.all([server.stop(), ended]);
    expect(stream.rstCode).toBe(0);
    expect(await goaway).toBe(0);
    // `callHttp1` rejects when the last chunk is missing.
    expect(await http1).toMatchObject({ status: 200 });
  });

  it('completes running requests, refuses new ones, and then closes the store', async () => {
    const store = new WrappedStore(openMemoryStore());
    const { server, port } = await startTestServer({ listen: true, store }, { shutdownGraceMs: 20_000 });
    const order: string[] = [];
    store.closed = () => order.push('store closed');
    const { waiting, open } = gate(store);
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
    const session = await connectSession(port);
    const answers = [
      overAgent(agent, port).then((status) => order.push(`HTTP/1.1 ${status}`)),
      callHttp2(session, create('two')).then(({ status }) => order.push(`HTTP/2 ${status}`)),
      server
        .transport()({ method: 'POST', url: configMaps, headers: asAdmin, body: Buffer.from(configMap('three')) })
        .then(({ status }) => order.push(`in process ${status}`)),
    ];
    await eventually(() => waiting() === 3);
    const stopped = server.stop();
    const late = await server.transport()({ method: 'GET', url: configMaps, headers: asAdmin });
    expect(late).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(String(late.body))).toMatchObject({ message: 'apiserver is shutting down' });
    expect(await callHttp1(port, { path: '/version' })).toMatchObject({
      status: 503,
      headers: { connection: 'close' },
    });
    open();
    await Promise.all([...answers, stopped]);
    agent.destroy();
    expect(order.slice(0, 3).sort()).toEqual(['HTTP/1.1 201', 'HTTP/2 201', 'in process 201']);
    expect(order[3]).toBe('store closed');
  });

  it('waits no longer than its grace period', async () => {
    const store = new WrappedStore(openMemoryStore());
    const { server, port } = await startTestServer({ listen: true, store }, { shutdownGraceMs: 200 });
    for (let i = 0; i < 20; i++) await callHttp1(port, create(`large-${i}`, 500_000));
    const { waiting, open } = gate(store);
    // Clients whose write hangs, that never finish the handshake, that send nothing, and that read nothing.
    const hanging = callHttp1(port, create('hanging')).catch((error: Error) => error);
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    const idle = await connectSocket(port);
    const deaf = await connectSocket(port);
    deaf.write(`GET ${configMaps} HTTP/1.1\r\nHost: x\r\nAuthorization: ${asAdmin.authorization}\r\n\r\n`);
    await once(deaf, 'readable');
    await eventually(() => waiting() === 1);
    await server.stop();
    expect(await hanging).toBeInstanceOf(Error);
    open();
    for (const socket of [silent, idle, deaf]) socket.destroy();
  });

  it('can be stopped twice, before it was started, and while it starts', async () => {
    const { server } = await startTestServer();
    expect(server.stop()).toBe(server.stop());
    await server.stop();
    await newTestServer({ listen: true, store: openMemoryStore() }).server.stop();
    const { server: starting } = newTestServer({ listen: true, store: openMemoryStore() });
    const started = expect(starting.start()).rejects.toThrow('the server was stopped before it was ready');
    await Promise.all([starting.stop(), started]);
  });

  it('leaves nothing running', async () => {
    await eventually(() => handles().every((name) => name !== 'TLSWrap' && name !== 'TCPSocketWrap'));
    const before = handles().length;
    const { server, port } = await startTestServer({ listen: true });
    const session = await connectSession(port);
    const stream = session.request({ ':path': `${configMaps}?watch=1&allowWatchBookmarks=true`, ...asAdmin });
    stream.resume();
    await once(stream, 'response');
    await callHttp1(port, create('one'));
    await server.stop();
    session.destroy();
    await eventually(() => handles().length <= before);
  });

  it('is not affected by a client that disconnects in the middle of a long list', async () => {
    const { server, port, log } = await startTestServer({ listen: true });
    for (let i = 0; i < 10; i++) await callHttp1(port, create(`large-${i}`, 500_000));
    const session = await connectSession(port);
    const stream = session.request({ ':path': configMaps, ...asAdmin });
    stream.on('error', () => undefined);
    await once(stream, 'readable');
    stream.close(8);
    session.destroy();
    const socket = await connectSocket(port);
    socket.write(`GET ${configMaps} HTTP/1.1\r\nHost: x\r\nAuthorization: ${asAdmin.authorization}\r\n\r\n`);
    await once(socket, 'readable');
    socket.destroy();
    expect(await callHttp1(port, { path: `${configMaps}/large-1`, headers: asAdmin })).toMatchObject({ status: 200 });
    await server.stop();
    expect(log.filter((line) => line.includes('Failed to answer request'))).toEqual([]);
  });

  it('has stored all acknowledged writes on disk', async () => {
    const path = await mkdtemp(join(tmpdir(), 'shutdown-'));
    const { server, port } = await startTestServer({ listen: true, store: await openLmdbStore({ path }) });
    const acknowledged: string[] = [];
    let stopping: Promise<void> | undefined;
    const session = await connectSession(port);
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const name = `w${writer}-${i}`;
        try {
          const { status } = await callHttp2(session, create(name));
          if (status !== 201) return;
        } catch {
          return;
        }
        acknowledged.push(name);
        if (acknowledged.length === 100) stopping = server.stop();
      }
    });
    await Promise.all(writers);
    await stopping;
    const store = await openLmdbStore({ path });
    const { entries } = await store.list('/registry/configmaps/default/');
    const stored = new Set(entries.map(({ key }) => key.split('/').at(-1)));
    expect(acknowledged.length).toBeGreaterThanOrEqual(100);
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
    await store.close();
    await rm(path, { recursive: true });
  });
});

function overAgent(agent: Agent, port: number): Promise<number | undefined> {
  const { method, path, headers, body } = create('one');
  return new Promise((resolve, reject) => {
    const call = httpsRequest({ host: '127.0.0.1', port, method, path, headers, agent });
    call.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', reject);
    call.end(body);
  });
}

function watchersOf(server: TestServer['server']): number {
  let watchers = 0;
  for (const [{ resource }, stats] of server.registries.cacheStats())
    if (resource === 'configmaps') watchers += stats.watchers;
  return watchers;
}
