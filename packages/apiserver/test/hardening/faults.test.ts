import { openMemoryStore, StoreFullError, StoreUnavailableError } from '@coxswain/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inProcessCaller, type Received } from '../requests/caller.ts';
import { EventReader } from '../requests/event-reader.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { asAdmin, eventually } from './clients.ts';
import { type StoreOperation, WrappedStore } from './wrapped-store.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
let store: WrappedStore;
let running: TestServer;

beforeEach(async () => {
  store = new WrappedStore(openMemoryStore());
  running = await startTestServer({ store }, { requestTimeoutMs: 500 });
});
afterEach(async () => {
  store.before = () => {};
  await running.server.stop();
});

async function call(method: string, url: string, body?: object, type = 'application/json'): Promise<Received> {
  const headers = { ...asAdmin, 'content-type': type };
  const bytes = body && Buffer.from(JSON.stringify(body));
  const signal = new AbortController().signal;
  return inProcessCaller(running.server.transport())({ method, url, headers, ...(bytes && { body: bytes }) }, signal);
}

async function read({
  status,
  headers,
  body,
}: Received): Promise<{ status: number; retryAfter: unknown; text: string }> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return { status, retryAfter: headers['retry-after'], text };
}

const configMap = (name: string, value = 'x') => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  data: { value },
});
const create = async (name: string) => read(await call('POST', configMaps, configMap(name)));

/** Makes these operations of the store fail as unavailable. */
function failing(...operations: StoreOperation[]): void {
  store.before = (operation) => {
    if (operations.includes(operation)) throw new StoreUnavailableError('the disk is full of planted-secrets');
  };
}

describe('while the store is full', () => {
  it('creates fail with the reason, reads and deletes work, and the server is alive but not ready', async () => {
    await create('a');
    store.before = (operation) => {
      if (operation === 'put' || operation === 'checkWritable') throw new StoreFullError();
    };
    const refused = await create('b');
    expect(refused.status).toBe(500);
    expect(refused.retryAfter).toBeUndefined();
    const status = JSON.parse(refused.text);
    expect(status.reason).toBeUndefined();
    expect(status.message).toBe(
      'the store is full: its disk has no room for new objects; delete some, or make room on the disk',
    );
    expect((await read(await call('GET', '/livez'))).status).toBe(200);
    const readiness = await read(await call('GET', '/readyz'));
    expect(readiness.status).toBe(500);
    expect(readiness.text).toContain('[+]etcd ok\n');
    expect(readiness.text).toContain('[-]etcd-readiness failed: reason withheld\n');
    expect((await read(await call('GET', '/readyz/etcd-readiness'))).text).toContain('the store is full');
    expect((await read(await call('DELETE', `${configMaps}/a`))).status).toBe(200);
    store.before = () => {};
    expect((await read(await call('GET', '/readyz'))).status).toBe(200);
    expect((await create('b')).status).toBe(201);
  });
});

describe('while the store is unavailable', () => {
  it.each<[string, StoreOperation, () => Promise<Received>, string]>([
    ['create', 'put', () => call('POST', configMaps, configMap('new')), 'create operation against configmaps'],
    ['update', 'put', () => call('PUT', `${configMaps}/a`, configMap('a', 'y')), 'update operation against configmaps'],
    [
      'patch',
      'put',
      () => call('PATCH', `${configMaps}/a`, { data: { value: 'z' } }, 'application/merge-patch+json'),
      'update operation against configmaps',
    ],
    ['delete', 'delete', () => call('DELETE', `${configMaps}/a`), 'delete operation against configmaps'],
  ])('%s fails with an error that can be retried, and works later', async (_, operation, request, what) => {
    await create('a');
    failing(operation);
    const refused = await read(await request());
    expect(refused).toMatchObject({ status: 500, retryAfter: '2' });
    expect(JSON.parse(refused.text)).toMatchObject({
      reason: 'ServerTimeout',
      message: `The ${what} could not be completed at this time, please try again.`,
    });
    expect(refused.text).not.toContain('planted');
    store.before = () => {};
    expect((await read(await request())).status).toBeLessThan(300);
  });

  it('reads are served, and the server is not ready', async () => {
    await create('a');
    failing('put', 'delete');
    expect(await read(await call('GET', `${configMaps}/a`))).toMatchObject({ status: 200 });
    failing('currentRevision');
    expect(await read(await call('GET', '/readyz'))).toMatchObject({ status: 500 });
    expect(await read(await call('GET', `${configMaps}/a?resourceVersion=0`))).toMatchObject({ status: 200 });
    store.before = () => {};
    expect(await read(await call('GET', '/readyz'))).toMatchObject({ status: 200 });
  });

  it('requests for a resource whose cache is not filled wait, up to the request timeout', async () => {
    failing('list');
    expect(await read(await call('GET', '/api/v1/limitranges'))).toMatchObject({ status: 504 });
    store.before = () => {};
    let answer = await read(await call('GET', '/api/v1/limitranges'));
    while (answer.status === 504) answer = await read(await call('GET', '/api/v1/limitranges'));
    expect(answer.status).toBe(200);
  });
});

it('a write that hangs times out, and is then either stored completely or not at all', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  store.before = (operation, key) => (operation === 'put' && key.endsWith('/slow') ? released : undefined);
  expect(await create('slow')).toMatchObject({ status: 504 });
  release();
  store.before = () => {};
  expect(await create('slow')).toMatchObject({ status: 409 });
});

describe('watchers', () => {
  const isWatched = (): boolean =>
    [...running.server.registries.cacheStats()].some(
      ([{ resource }, { watchers }]) => resource === 'configmaps' && watchers > 0,
    );

  async function watched(count: number): Promise<string[]> {
    const events = await new EventReader(await call('GET', `${configMaps}?watch=1`)).read(count);
    return (events as { type: string; object: { metadata: { name: string } } }[]).map(
      ({ type, object }) => `${type} ${object.metadata.name}`,
    );
  }

  it('get every acknowledged write once, in order, also when other writes fail in between', async () => {
    const events = watched(20);
    await eventually(isWatched);
    const acknowledged: string[] = [];
    let writes = 0;
    store.before = (operation, key) => {
      if (operation === 'put' && key.includes('/configmaps/') && writes++ % 3 === 1)
        throw new StoreUnavailableError('now and then');
    };
    for (let i = 0; i < 30; i++) {
      const { status } = await create(`w-${i}`);
      if (status === 201) acknowledged.push(`w-${i}`);
    }
    store.before = () => {};
    expect(acknowledged).toHaveLength(20);
    expect(await events).toEqual(acknowledged.map((name) => `ADDED ${name}`));
  });

  it('miss no events when the watch of the store fails', async () => {
    const events = watched(5);
    await eventually(isWatched);
    for (let i = 0; i < 5; i++) {
      store.breakWatches(new StoreUnavailableError('the connection is lost'));
      await create(`b-${i}`);
    }
    expect(await events).toEqual(Array.from({ length: 5 }, (_, i) => `ADDED b-${i}`));
  });
});

it('error messages of the store are logged, but not sent to clients', async () => {
  failing('put');
  await create('a');
  expect(running.log.join('\n')).toContain('the disk is full');
});
