import { expect, it } from 'vitest';
import { DynamicClient } from '../dynamic/index.ts';
import { DynamicSharedInformerFactory, MetadataSharedInformerFactory } from '../informers/index.ts';
import { MetadataClient } from '../metadata/index.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { FakeTransport } from './fake-transport.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { x: '1' },
});

it('works with informers over all clients', async () => {
  const fake = new FakeTransport({ objects: [configMap('a')] });
  const rest = new RESTClient(fake);
  const dynamic = new DynamicClient(rest);
  const wholes = new DynamicSharedInformerFactory(dynamic);
  const partials = new MetadataSharedInformerFactory(new MetadataClient(rest), { namespace: 'default' });
  const { informer } = wholes.forResource(configMaps);
  const { informer: metadataInformer } = partials.forResource(configMaps);
  const deleted = new Promise<string | undefined>((resolve) => {
    metadataInformer.addEventHandler({
      onDelete: (object) => resolve('metadata' in object ? object.metadata?.name : undefined),
    });
  });
  wholes.start();
  partials.start();
  await Promise.all([wholes.waitForCacheSync(), partials.waitForCacheSync()]);
  expect(informer.indexer.getByKey('default/a')).toMatchObject({ kind: 'ConfigMap', data: { x: '1' } });
  expect(metadataInformer.indexer.getByKey('default/a')).not.toHaveProperty('data');
  const added = new Promise((resolve) => {
    informer.addEventHandler({ onAdd: (object) => void (object.metadata?.name === 'b' && resolve(object)) });
  });
  const resource = dynamic.resource(configMaps).inNamespace('default');
  await resource.create(configMap('b'));
  await resource.delete('a');
  expect(await added).toMatchObject(configMap('b'));
  expect(await deleted).toBe('a');
  await Promise.all([wholes.shutdown(), partials.shutdown()]);
});
