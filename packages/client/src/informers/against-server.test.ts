import type { ConfigMap, Namespace } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { PartialObjectMetadata } from '@coxswain/apimachinery/meta';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { DynamicClient } from '../dynamic/dynamic-client.ts';
import { ClientSet } from '../kubernetes/client-set.ts';
import { MetadataClient } from '../metadata/metadata-client.ts';
import type { ResourceClient } from '../rest/resource-client.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { InProcessTransport } from '../transport/index.ts';
import { DynamicSharedInformerFactory, MetadataSharedInformerFactory } from './dynamic-informer-factory.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';
import { stripManagedFields } from './transform.ts';

let server: RunningApiServer;
let rest: RESTClient;
let clients: ClientSet;
let configMaps: Pick<ResourceClient<ConfigMap>, 'create' | 'patch' | 'delete' | 'list' | 'watch'>;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  rest = new RESTClient(new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] })));
  clients = new ClientSet(rest);
  configMaps = clients.core.v1.configMaps('default');
  for (const name of ['one', 'two']) await clients.core.v1.namespaces().create({ metadata: { name } });
  for (const namespace of ['one', 'two']) {
    for (const app of ['web', 'db']) {
      const metadata = { name: app, labels: { app } };
      await clients.core.v1.configMaps(namespace).create({ metadata, data: { namespace } });
    }
  }
});
afterAll(() => server.stop());

describe.each([
  ['a streaming list', true],
  ['a paged list', false],
])('SharedIndexInformer that starts with %s', (_, watchList) => {
  it('reports existing objects and changes', async () => {
    await configMaps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    const stop = new AbortController();
    const seen: string[] = [];
    const informer = new SharedIndexInformer(configMaps, {
      watchList,
      onError: (error) => seen.push(String(error)),
    });
    let whenDeleted!: () => void;
    const deleted = new Promise<void>((resolve) => {
      whenDeleted = resolve;
    });
    const registration = informer.addEventHandler({
      onAdd: (object, isInInitialList) => void seen.push(`add ${object.metadata?.name} ${isInInitialList}`),
      onUpdate: (old, object) => void seen.push(`update ${old.data?.x} ${object.data?.x}`),
      onDelete: () => whenDeleted(),
    });
    const running = informer.run(stop.signal);
    await registration.whenSynced();
    expect(seen).toContain('add a true');
    expect(informer.indexer.getByKey('default/a')).toMatchObject({ kind: 'ConfigMap', data: { x: '1' } });
    await configMaps.patch('a', 'merge', { data: { x: '2' } });
    await configMaps.delete('a');
    await deleted;
    expect(seen.slice(-1)).toEqual(['update 1 2']);
    expect(informer.indexer.getByKey('default/a')).toBeUndefined();
    expect(informer.state).toBe('Watching');
    stop.abort();
    await running;
    expect(informer.isStopped).toBe(true);
  });
});

describe('SharedInformerFactory', () => {
  it('has an informer and a lister for every resource of the ClientSet, one of each', async () => {
    const factory = new SharedInformerFactory(clients, { transform: stripManagedFields });
    const { informer, lister } = factory.core.v1.configMaps;
    expectTypeOf(informer).toEqualTypeOf<SharedIndexInformer<ConfigMap>>();
    expectTypeOf(factory.core.v1.namespaces.lister.get).returns.toEqualTypeOf<Namespace>();
    // Bindings can only be created.
    expectTypeOf(factory.core.v1).not.toHaveProperty('bindings');
    expect(factory.core.v1.configMaps.informer).toBe(informer);
    expect(Object.keys(factory)).toContain('apps');
    const namespaces = factory.core.v1.namespaces.lister;

    const stop = new AbortController();
    factory.start(stop.signal);
    factory.start(stop.signal);
    await factory.waitForCacheSync(stop.signal);
    expect(namespaces.get('one').metadata?.name).toBe('one');
    expect(lister.namespace('one').get('web').data).toEqual({ namespace: 'one' });
    expect(lister.namespace('one').get('web').metadata?.managedFields).toBeUndefined();
    expect(
      lister
        .namespace('two')
        .list()
        .map(({ metadata }) => metadata?.name)
        .sort(),
    ).toContain('db');
    expect(
      lister
        .list('app in (web)')
        .map(({ metadata }) => metadata?.namespace)
        .sort(),
    ).toEqual(['one', 'two']);
    expect(lister.namespace('one').list('app=db')).toHaveLength(1);
    expect(() => lister.namespace('default').get('web')).toThrow('configmap "web" not found');
    expect(() => lister.get('web')).toThrow(expect.toSatisfy(isNotFound));
    expect(() => lister.list('!!')).toThrow('unable to parse requirement');

    const later = factory.apps.v1.deployments.informer;
    factory.start(stop.signal);
    await later.whenSynced();
    stop.abort();
    await factory.shutdown();
    expect([informer.isStopped, later.isStopped]).toEqual([true, true]);
  });

  it('watches only the given namespace and selected objects', async () => {
    const factory = new SharedInformerFactory(clients, {
      namespace: 'one',
      tweakListOptions: ({ resource }) => (resource === 'configmaps' ? { labelSelector: 'app=web' } : {}),
    });
    const { lister } = factory.core.v1.configMaps;
    const namespaces = factory.core.v1.namespaces.lister;
    factory.start();
    await factory.waitForCacheSync();
    expect(lister.list().map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)).toEqual(['one/web']);
    expect(namespaces.list().length).toBeGreaterThan(1);
    await factory.shutdown();
  });
});

const resource = { group: '', version: 'v1', resource: 'configmaps' };

describe('DynamicSharedInformerFactory', () => {
  it('has informers for resources by name', async () => {
    const factory = new DynamicSharedInformerFactory(new DynamicClient(rest), { namespace: 'two' });
    const { lister, informer } = factory.forResource(resource);
    expect(factory.forResource({ ...resource }).informer).toBe(informer);
    factory.start();
    await factory.waitForCacheSync();
    expect(lister.namespace('two').get('db')).toMatchObject({ kind: 'ConfigMap', data: { namespace: 'two' } });
    expect(lister.namespace('one').list()).toEqual([]);
    await factory.shutdown();
  });
});

describe('MetadataSharedInformerFactory', () => {
  it('caches only metadata', async () => {
    const factory = new MetadataSharedInformerFactory(new MetadataClient(rest));
    const { lister } = factory.forResource(resource);
    factory.start();
    await factory.waitForCacheSync();
    const object: PartialObjectMetadata = lister.namespace('two').get('db');
    expect(object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { app: 'db' } } });
    expect(object).not.toHaveProperty('data');
    await factory.shutdown();
  });
});
