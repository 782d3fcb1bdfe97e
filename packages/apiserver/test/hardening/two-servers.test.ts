import { silentLogger } from '@coxswain/apimachinery/log';
import { type EtcdServer, findProgram, startEtcd } from '@coxswain/storage/testing/etcd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf, definitionsUrl, versionOf } from '../../src/crd/custom-resources.test-data.ts';
import { type RunningApiServer, startApiServer } from '../../src/index.ts';
import { type Json, TestClient } from '../drivers/test-client.ts';

/** Custom resources and quotas with several servers over one store. */
describe.skipIf(findProgram('etcd') === undefined)('two servers over one etcd', () => {
  let etcd: EtcdServer;
  let servers: RunningApiServer[] = [];
  let a: TestClient;
  let b: TestClient;

  beforeAll(async () => {
    etcd = await startEtcd();
    const options = { securePort: 0, bindAddress: '127.0.0.1', etcdServers: [etcd.endpoint] };
    servers = [await startApiServer(options, { logger: silentLogger })];
    servers.push(await startApiServer(options, { logger: silentLogger }));
    [a, b] = servers.map((server) => new TestClient(server)) as [TestClient, TestClient];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await etcd?.dispose();
  });

  async function until(client: TestClient, url: string, isSo: (object: Json) => boolean): Promise<Json> {
    for (;;) {
      const object = await client.get(url).catch((error: Error) => ({ failed: error.message }));
      if (isSo(object)) return object;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const is = (type: string, status: string) => (definition: Json) =>
    definition.status?.conditions?.some((condition: Json) => condition.type === type && condition.status === status);
  const isGone = ({ failed = '' }: { failed?: string }): boolean => failed.includes(': 404 ');
  const ats = (group: string): string => `/apis/${group}/v1/namespaces/default/ats`;
  const at = (group: string, name: string): Json => ({
    apiVersion: `${group}/v1`,
    kind: 'At',
    metadata: { name },
    spec: { a: 'x' },
  });

  /** Defines a resource at one server, and waits until both serve it. */
  async function define(group: string): Promise<void> {
    await a.create(definitionsUrl, definitionOf(group, [versionOf('v1', true, 'a', 'b')]));
    for (const client of [a, b]) await until(client, ats(group), ({ kind }) => kind === 'AtList');
  }

  it('serve a definition created at one of them, with consistent objects', async () => {
    await define('shared.dev');
    await until(b, '/apis/shared.dev', ({ kind }) => kind === 'APIGroup');
    await a.create(ats('shared.dev'), at('shared.dev', 'one'));
    expect((await b.get(`${ats('shared.dev')}/one`)).spec).toEqual({ a: 'x' });
    // No concurrent change is lost.
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? a : b).patch(`${ats('shared.dev')}/one`, { metadata: { labels: { [`k${i}`]: 'v' } } }),
      ),
    );
    const found = await b.get(`${ats('shared.dev')}/one`);
    expect(Object.keys(found.metadata.labels)).toHaveLength(20);
    expect(found.metadata.generation).toBe(1);
    expect(await a.get(`${ats('shared.dev')}/one`)).toEqual(found);
  });

  it('accept a name for only one of several definitions', async () => {
    const rival = (name: string): Json => ({
      ...definitionOf('names.dev', [versionOf('v1', true, 'a')], {
        names: { plural: name, singular: 'same', kind: 'Same' },
      }),
      metadata: { name: `${name}.names.dev` },
    });
    await a.create(definitionsUrl, rival('firsts'));
    await until(b, `${definitionsUrl}/firsts.names.dev`, is('Established', 'True'));
    await Promise.all(
      ['seconds', 'thirds', 'fourths'].map((name, i) => [a, b][i % 2]!.create(definitionsUrl, rival(name))),
    );
    for (const name of ['seconds', 'thirds', 'fourths'])
      await until(a, `${definitionsUrl}/${name}.names.dev`, is('NamesAccepted', 'False'));
    const { items } = await b.get(definitionsUrl);
    const accepted = items.filter((item: Json) => item.spec.group === 'names.dev' && is('Established', 'True')(item));
    expect(accepted.map(({ metadata }: Json) => metadata.name)).toEqual(['firsts.names.dev']);
  });

  it('accept a name for only one of two concurrent definitions', async () => {
    for (let round = 0; round < 10; round++) {
      const group = `race-${round}.dev`;
      const rivals = ['firsts', 'seconds'].map((plural) => ({
        ...definitionOf(group, [versionOf('v1', true, 'a')], { names: { plural, singular: 'same', kind: 'Same' } }),
        metadata: { name: `${plural}.${group}` },
      }));
      await Promise.all(rivals.map((rival, i) => [a, b][i]!.create(definitionsUrl, rival)));
      const decided = await Promise.all(
        rivals.map(({ metadata }) =>
          until(a, `${definitionsUrl}/${metadata.name}`, (found) =>
            found.status?.conditions?.some(({ type }: Json) => type === 'NamesAccepted'),
          ),
        ),
      );
      expect(decided.map((found) => is('NamesAccepted', 'True')(found)).sort()).toEqual([false, true]);
    }
  });

  it('delete all objects with a definition, and remove it once', async () => {
    await define('leaving.dev');
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => [a, b][i % 2]!.create(ats('leaving.dev'), at('leaving.dev', `n${i}`))),
    );
    await b.remove(`${definitionsUrl}/ats.leaving.dev`);
    for (const client of [a, b]) {
      await until(client, `${definitionsUrl}/ats.leaving.dev`, isGone);
      await until(client, ats('leaving.dev'), isGone);
    }
    // A new definition of that name has none of the old objects, and is not deleted in place of the old one.
    await define('leaving.dev');
    for (const client of [a, b]) expect((await client.get(ats('leaving.dev'))).items).toEqual([]);
    const next = await b.get(`${definitionsUrl}/ats.leaving.dev`);
    expect(next.metadata.deletionTimestamp).toBeUndefined();
    await b.create(ats('leaving.dev'), at('leaving.dev', 'kept'));
    expect((await a.get(ats('leaving.dev'))).items).toHaveLength(1);
  });

  it('do not exceed a quota', async () => {
    const path = '/api/v1/namespaces/limited';
    await a.create('/api/v1/namespaces', { metadata: { name: 'limited' } });
    const hard = { 'count/configmaps': '7' };
    await a.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } });
    await a.patch(`${path}/resourcequotas/q/status`, { status: { hard, used: { 'count/configmaps': '0' } } });
    for (const client of [a, b]) {
      const known = await until(client, `${path}/resourcequotas/q?resourceVersion=0`, ({ status }) => status?.used);
      expect(known.spec.hard).toEqual(hard);
    }
    const refusals: string[] = [];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        [a, b]
          [i % 2]!.create(`${path}/configmaps`, { metadata: { name: `c${i}` } })
          .catch((error: Error) => refusals.push(error.message)),
      ),
    );
    const { items } = await b.get(`${path}/configmaps`);
    const { status } = await a.get(`${path}/resourcequotas/q`);
    expect(items.length).toBeLessThanOrEqual(7);
    expect(items.length).toBeGreaterThan(0);
    expect(items.length + refusals.length).toBe(40);
    expect(refusals.filter((message) => !/: (403|409) /.test(message))).toEqual([]);
    expect(status.used).toEqual({ 'count/configmaps': `${items.length}` });
  });
});
