/** Tests that every store driver must pass: no losses over a restart, watches that continue, consistency between servers. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@coxswain/apimachinery/log';
import { type EtcdServer, findProgram, startEtcd } from '@coxswain/storage/testing/etcd';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApiServer, startApiServer } from '../../src/index.ts';
import { type Json, TestClient } from './test-client.ts';

let running: RunningApiServer[] = [];

const start = async (options: Parameters<typeof startApiServer>[0]): Promise<TestClient> => {
  const server = await startApiServer(
    { securePort: 0, bindAddress: '127.0.0.1', ...options },
    { logger: silentLogger },
  );
  running.push(server);
  return new TestClient(server);
};

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string> = {}): Json => ({ metadata: { name }, data });

describe('over lmdb', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drivers-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('a restart loses nothing, and watches continue where they were', async () => {
    const first = await start({ dataDir: directory });
    await first.create(configMaps, configMap('a'));
    const service = await first.create('/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }] },
    });
    const { metadata } = await first.get(configMaps);
    await first.create(configMaps, configMap('b'));
    const before = await first.get(`${configMaps}/b`);
    await first.remove(`${configMaps}/a`);
    await running.pop()!.stop();

    const second = await start({ dataDir: directory });
    expect(await second.get(`${configMaps}/b`)).toEqual(before);
    const watch = second.watch(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } });
    const other = await second.create('/api/v1/namespaces/default/services', {
      metadata: { name: 't' },
      spec: { ports: [{ port: 80 }] },
    });
    expect(other.spec.clusterIP).not.toBe(service.spec.clusterIP);
    const created = await second.create(configMaps, configMap('c'));
    expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    watch.stop();
  });
});

describe.skipIf(findProgram('etcd') === undefined)('over etcd', () => {
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.dispose());
  const options = () => ({ etcdServers: [etcd.endpoint] });

  it('two servers are consistent', async () => {
    const [a, b] = [await start(options()), await start(options())];
    const { metadata } = await b.get(configMaps);
    const watch = b.watch(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    // A write acknowledged by one server is visible in the other one at once.
    for (let i = 0; i < 20; i++) {
      const { metadata: made } = await a.create(configMaps, configMap(`c-${i}`));
      expect((await b.get(`${configMaps}/c-${i}`)).metadata.resourceVersion).toBe(made.resourceVersion);
      const { items } = await b.get(configMaps);
      expect(items).toHaveLength(i + 1);
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: `c-${i}` } } });
    }
    watch.stop();
  });

  it('two servers that change the same object lose no change', async () => {
    const clients = [await start(options()), await start(options())];
    await clients[0]!.create(configMaps, configMap('shared'));
    const add = (i: number): Promise<Json> =>
      clients[i % 2]!.patch(`${configMaps}/shared`, { data: { [`k${i}`]: 'v' } });
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(i)));
    const { data } = await clients[0]!.get(`${configMaps}/shared`);
    expect(Object.keys(data)).toHaveLength(20);
  });

  it.skipIf(findProgram('etcdctl') === undefined)(
    'objects are stored under upstream’s keys, in a readable format',
    async () => {
      const client = await start(options());
      await client.create(configMaps, configMap('readable', { k: 'v' }));
      const { stdout } = await promisify(execFile)(
        findProgram('etcdctl')!,
        [`--endpoints=${etcd.endpoint}`, 'get', '/registry/configmaps/default/readable', '--print-value-only'],
        { env: { ...process.env, ETCDCTL_API: '3' } },
      );
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'readable' }, data: { k: 'v' } });
    },
  );
});
