import { openMemoryStore } from '@coxswain/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  atsUrl,
  definitionOf,
  definitionsUrl,
  type Json,
  TestApi,
  versionOf,
} from '../../src/crd/custom-resources.test-data.ts';
import { startTestServer } from '../test-server.ts';
import { usedHeap } from './fuzz-server.ts';
import { WrappedStore } from './wrapped-store.ts';

const rounds = 200;
const store = new WrappedStore(openMemoryStore());
const configMaps = '/api/v1/namespaces/default/configmaps';
const merge = 'application/merge-patch+json';
let api: TestApi;

beforeAll(async () => {
  const { server } = await startTestServer({ store });
  api = TestApi.of(server);
  await api.define(definitionOf('steady.dev', [versionOf('v1', true, 'a')]));
});
afterAll(() => api.server.stop());

const at = (group: string, name: string): Json => ({
  apiVersion: `${group}/v1`,
  kind: 'At',
  metadata: { name },
  spec: { a: 'x' },
});

/** Counts everything that exists per CustomResourceDefinition and must disappear with it. */
async function remains(): Promise<Json> {
  const count = async (url: string, of: (answer: Json) => object): Promise<number> =>
    Object.keys(of((await api.send('GET', url))[1])).length;
  const metrics = Buffer.from((await api.raw('GET', '/metrics')).body as Uint8Array).toString();
  return {
    groups: await count('/apis', ({ groups }) => groups as object),
    documents: await count('/openapi/v3', ({ paths }) => paths as object),
    definitions: await count('/openapi/v2', ({ definitions }) => definitions as object),
    apiServices: await count('/apis/apiregistration.k8s.io/v1/apiservices', ({ items }) => items as object),
    watches: store.watches,
    objectsInMetrics: metrics.match(/^apiserver_(storage_objects|resource_objects).*churn/gm)?.length ?? 0,
  };
}

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** Expects ADDED events with these names, in this order. */
async function expectAll(next: () => Promise<Json | null>, names: readonly string[]): Promise<void> {
  const seen: unknown[] = [];
  for (const _ of names) {
    const event = (await next()) as { type: string; object: { metadata: Json } } | null;
    seen.push(event && `${event.type} ${event.object.metadata.name}`);
    if (!event) break;
  }
  expect(seen).toEqual(names.map((name) => `ADDED ${name}`));
}

/** Returns the used heap after a compaction, because the store keeps its history until then. */
async function heapWithoutHistory(): Promise<number> {
  await store.compact(await store.currentRevision());
  return usedHeap();
}

/** Creates, changes and deletes a definition. Concurrent requests for its objects must not be affected. */
async function live(group: string): Promise<void> {
  const url = `${definitionsUrl}/ats.${group}`;
  await api.define(definitionOf(group, [versionOf('v1', true, 'a')]));
  expect(await api.send('POST', atsUrl(group, 'v1'), at(group, 'first'))).toMatchObject([201, {}]);
  const first = await api.watch(atsUrl(group, 'v1'));
  expect(await first()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'first' } } });

  const versions = [versionOf('v1', false, 'a', 'b'), versionOf('v2', true, 'a', 'b')];
  const asked = [
    api.send('POST', atsUrl(group, 'v1'), at(group, 'second')),
    api.send('GET', atsUrl(group, 'v1')),
    api.send('PATCH', url, { spec: { versions } }, merge),
    api.send('POST', atsUrl(group, 'v1'), at(group, 'third')),
    api.send('PATCH', atsUrl(group, 'v1', 'first'), { spec: { a: 'y' } }, merge),
    api.send('GET', atsUrl(group, 'v1', 'first')),
  ];
  const answered = await Promise.all(asked);
  expect(answered.map(([status]) => status)).toEqual([201, 200, 200, 201, 200, 200]);
  // The watch has some of these events, and ends because the definition has changed.
  for (let event = await first(); event !== null; event = await first())
    expect((event as { type: string }).type).toMatch(/ADDED|MODIFIED/);

  const second = await api.watch(atsUrl(group, 'v2'));
  const [, { items }] = await api.send('GET', atsUrl(group, 'v2'));
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['first', 'second', 'third']);
  expect(items.map(({ spec }) => spec.a)).toEqual(['y', 'x', 'x']);
  expect(await api.send('DELETE', url)).toMatchObject([200, {}]);
  await api.until(url, ({ code }) => code === 404);
  const types: unknown[] = [];
  for (let event = await second(); event !== null; event = await second()) types.push(event.type);
  expect(types).toEqual(['ADDED', 'ADDED', 'ADDED', 'DELETED', 'DELETED', 'DELETED']);
}

describe('creating and deleting definitions', () => {
  it(`leaks nothing and does not affect others, ${rounds} times`, { timeout: 600_000 }, async () => {
    const watches = await Promise.all([
      api.watch(`${configMaps}?labelSelector=churn`),
      api.watch(atsUrl('steady.dev', 'v1')),
      api.watch(`${definitionsUrl}?fieldSelector=metadata.name%3Dats.steady.dev`),
    ]);
    expect(await watches[2]()).toMatchObject({ type: 'ADDED' });
    const names: string[] = [];
    let before: Json = {};
    let timersBefore = 0;
    let heap = 0;
    for (let round = 0; round < rounds; round++) {
      // The first rounds fill caches.
      if (round === 4) {
        before = await remains();
        timersBefore = timers();
      }
      if (round === rounds / 2) heap = await heapWithoutHistory();
      const name = `n${round}`;
      names.push(name);
      const [made] = await Promise.all([
        api.send('POST', configMaps, { metadata: { name, labels: { churn: 'x' } } }),
        api.send('POST', atsUrl('steady.dev', 'v1'), at('steady.dev', name)),
        live(`r${round}.churn.dev`),
      ]);
      expect(made[0]).toBe(201);
    }
    await expectAll(watches[0], names);
    await expectAll(watches[1], names);
    await api.until('/apis/apiregistration.k8s.io/v1/apiservices', ({ items }) =>
      items.every(({ metadata }) => !metadata.name.includes('churn')),
    );
    expect(await remains()).toEqual(before);
    // Polled, because a short timer may be pending.
    await expect.poll(timers).toBeLessThanOrEqual(timersBefore);
    expect((await store.list('/registry/', {})).entries.filter(({ key }) => key.includes('churn'))).toEqual([]);
    // The event histories of the watch caches for definitions and APIServices are still growing up to their limits.
    expect((await heapWithoutHistory()) - heap).toBeLessThan(20 * 1024 * 1024);
  });
});
