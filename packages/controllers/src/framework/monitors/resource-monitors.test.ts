import type { APIResourceList, KubernetesObject } from '@coxswain/apimachinery/meta';
import {
  CachedDiscovery,
  ClientSet,
  DeferredRESTMapper,
  DiscoveryClient,
  FakeClock,
  GroupDiscoveryFailedError,
  MetadataClient,
  noMetrics,
  RESTClient,
  type ServerResources,
  SharedInformerFactory,
  silentLogger,
} from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ResourceMonitors } from './resource-monitors.ts';

const verbs = ['list', 'watch', 'delete'];
const core: APIResourceList = {
  groupVersion: 'v1',
  resources: [
    { name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', verbs },
    { name: 'secrets', singularName: 'secret', namespaced: true, kind: 'Secret', verbs },
    { name: 'bindings', singularName: 'binding', namespaced: true, kind: 'Binding', verbs: ['create'] },
  ],
};
const widgets: APIResourceList = {
  groupVersion: 'example.com/v1',
  resources: [{ name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs }],
};
const widget = { group: 'example.com', version: 'v1', resource: 'widgets' };

let clock: FakeClock;
let fake: FakeTransport;
let informers: SharedInformerFactory;
let monitors: ResourceMonitors;
let stop: AbortController;
let running: Promise<unknown>;
/** The server's answer to discovery. */
let found: ServerResources | Error;
/** The notifications that the subscriber received. */
let heard: string[];

beforeEach(() => {
  clock = new FakeClock();
  const object = (apiVersion: string, kind: string): KubernetesObject => ({
    apiVersion,
    kind,
    metadata: { name: 'x', namespace: 'default', uid: kind, labels: { a: 'b' } },
  });
  fake = new FakeTransport({
    objects: [object('v1', 'ConfigMap'), object('v1', 'Secret'), object('example.com/v1', 'Widget')],
    resources: [widgets],
  });
  const rest = new RESTClient(fake);
  const server = new DiscoveryClient(rest);
  informers = new SharedInformerFactory(new ClientSet(rest), { clock });
  monitors = new ResourceMonitors({
    discovery: Object.assign(Object.create(server), {
      preferredResources: async () => {
        if (found instanceof Error) throw found;
        return found;
      },
    }),
    metadata: new MetadataClient(rest),
    informers,
    mapper: new DeferredRESTMapper(new CachedDiscovery(server)),
    clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: noMetrics,
  });
  heard = [];
  stop = new AbortController();
  found = { groups: [], resourceLists: [core, widgets] };
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await running;
  await informers.shutdown();
  await fake.close();
});

async function start(): Promise<boolean> {
  monitors.subscribe({
    wants: ({ verbs: known }) => known.includes('delete'),
    handlerFor: ({ kind }) => ({ onAdd: ({ metadata }) => void heard.push(`${kind} ${metadata?.name}`) }),
    onSynced: ({ kind }) => void heard.push(`${kind} synced`),
    onStopped: ({ kind }) => void heard.push(`${kind} stopped`),
  });
  running = monitors.run(stop.signal);
  return monitors.whenSynced(stop.signal);
}

it('reports the objects of all resources that can be watched and that a subscriber wants', async () => {
  expect(await start()).toBe(true);
  expect(heard.sort()).toEqual([
    'ConfigMap synced',
    'ConfigMap x',
    'Secret synced',
    'Secret x',
    'Widget synced',
    'Widget x',
  ]);
  // The cache holds only the essential metadata.
  expect(monitors.get(widget)?.informer.indexer.list()).toEqual([
    { metadata: { name: 'x', namespace: 'default', uid: 'Widget', resourceVersion: expect.any(String) } },
  ]);
});

it('sends no requests without subscribers', async () => {
  await monitors.run(stop.signal);
  expect(fake.actions).toEqual([]);
});

it('reuses existing informers', async () => {
  const { informer } = informers.core.v1.configMaps;
  informers.start(stop.signal);
  await start();
  expect(monitors.get({ group: '', version: 'v1', resource: 'configmaps' })?.informer).toBe(informer);
  const watches = fake.actions.filter(({ verb, resource }) => verb === 'watch' && resource.resource === 'configmaps');
  expect(watches).toHaveLength(1);
});

it('watches resources that are added, and stops watching those that are removed', async () => {
  found = { groups: [], resourceLists: [core] };
  await start();
  expect(monitors.get(widget)).toBeUndefined();
  heard.length = 0;
  found = { groups: [], resourceLists: [core, widgets] };
  await clock.advance(30_000);
  await expect.poll(() => heard).toEqual(['Widget x', 'Widget synced']);
  found = { groups: [], resourceLists: [core] };
  await clock.advance(30_000);
  expect(heard.at(-1)).toBe('Widget stopped');
  expect(monitors.get(widget)).toBeUndefined();
});

it('keeps the resources of groups that discovery fails for', async () => {
  await start();
  heard.length = 0;
  const failure = new GroupDiscoveryFailedError(new Map([['example.com/v1', new Error('injected')]]));
  found = { groups: [], resourceLists: [core], failure };
  await clock.advance(30_000);
  found = new Error('injected');
  await clock.advance(30_000);
  found = { groups: [], resourceLists: [] };
  await clock.advance(30_000);
  expect(heard).toEqual([]);
  expect(monitors.get(widget)).toBeDefined();
});

it('does not wait forever for resources that cannot be listed', async () => {
  fake.prependReactor('list', 'widgets', () => {
    throw new Error('injected');
  });
  fake.prependWatchReactor('widgets', () => {
    throw new Error('injected');
  });
  const synced = start();
  await expect.poll(() => heard.includes('Secret synced')).toBe(true);
  for (let i = 0; i < 31; i++) await clock.advance(1000);
  expect(await synced).toBe(false);
});

it('retries soon when the first discovery fails', async () => {
  found = new Error('injected');
  const synced = start();
  await clock.advance(1000);
  found = { groups: [], resourceLists: [core] };
  await clock.advance(1000);
  expect(await synced).toBe(true);
});
