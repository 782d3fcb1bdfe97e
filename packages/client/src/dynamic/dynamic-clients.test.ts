import type { ConfigMap } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import { NoKindMatchError, NoResourceMatchError } from '@coxswain/apimachinery/restmapper';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineCronTabs } from '../discovery/crontab.test-data.ts';
import { RecordingTransport } from '../discovery/recording-transport.test-data.ts';
import { MetadataClient } from '../metadata/index.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { ScaleClient } from '../scale/index.ts';
import { InProcessTransport } from '../transport/index.ts';
import type { Watch } from '../watch/watch.ts';
import { DynamicClient, ObjectClient, type Unstructured } from './index.ts';

const group = 'stable.example.com';
const apiVersion = `${group}/v1`;
const cronTabResource = { group, version: 'v1', resource: 'crontabs' };
const configMapResource = { group: '', version: 'v1', resource: 'configmaps' };
const cronTab = (name: string, spec: object = { replicas: 1 }): Unstructured => ({
  apiVersion,
  kind: 'CronTab',
  metadata: { name },
  spec,
});

let server: RunningApiServer;
let transport: RecordingTransport;
let rest: RESTClient;
let dynamic: DynamicClient;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  transport = new RecordingTransport(
    new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] })),
  );
  rest = new RESTClient(transport);
  dynamic = new DynamicClient(rest);
  await defineCronTabs(rest, group);
});
afterAll(() => server.stop());

async function until<T>(watch: Watch<T>, type: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of watch) {
    seen.push(event.type);
    if (event.type === type) break;
  }
  return seen;
}

describe('DynamicClient', () => {
  it('supports all verbs on a custom resource', async () => {
    const all = dynamic.resource(cronTabResource);
    const cronTabs = all.inNamespace('default');
    const created = await cronTabs.create(cronTab('a', { replicas: 2 }), { fieldManager: 'me' });
    const watch = await all.watch({ resourceVersion: created.metadata?.resourceVersion ?? '' });
    expect((await cronTabs.get('a')).spec).toEqual({ replicas: 2 });
    const patched = await cronTabs.patch('a', 'json', [{ op: 'add', path: '/spec/cronSpec', value: '* *' }]);
    await expect(cronTabs.update({ ...created, spec: {} })).rejects.toSatisfy(isConflict);
    await cronTabs.update({ ...patched, spec: { replicas: 3 } });
    const applied = await cronTabs.apply(
      { apiVersion, kind: 'CronTab', metadata: { name: 'a' }, spec: { cronSpec: '1' } },
      { fieldManager: 'applier' },
    );
    expect(applied.spec).toEqual({ replicas: 3, cronSpec: '1' });
    expect((await all.list()).items.map(({ metadata }) => metadata?.name)).toEqual(['a']);
    await cronTabs.delete('a');
    await expect(cronTabs.get('a')).rejects.toSatisfy(isNotFound);
    expect(await until(watch, 'DELETED')).toEqual(['MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED']);
  });

  it('reads and writes subresources', async () => {
    const cronTabs = dynamic.resource(cronTabResource).inNamespace('default');
    const created = await cronTabs.create(cronTab('sub'));
    const status = { replicas: 1, selector: 'a=b' };
    expect((await cronTabs.updateStatus({ ...created, status })).status).toEqual(status);
    const scale = await cronTabs.get('sub', {}, 'scale');
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status });
    await cronTabs.update({ ...scale, spec: { replicas: 5 } }, {}, 'scale');
    await cronTabs.patch('sub', 'merge', { status: { replicas: 5 } }, {}, 'status');
    const selected = { apiVersion, kind: 'CronTab', metadata: { name: 'sub' }, status: { selector: 'c=d' } };
    await cronTabs.applyStatus(selected, { fieldManager: 'applier', force: true });
    expect(await cronTabs.get('sub')).toMatchObject({
      spec: { replicas: 5 },
      status: { replicas: 5, selector: 'c=d' },
    });
    const accounts = dynamic.resource({ group: '', version: 'v1', resource: 'serviceaccounts' }).inNamespace('default');
    await accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } });
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: 'sa' },
      spec: {},
    };
    expect((await accounts.create(request, {}, 'token')).kind).toBe('TokenRequest');
    expect(await cronTabs.deleteCollection()).toMatchObject({ items: [{ metadata: { name: 'sub' } }] });
  });

  it('finds the resource of a kind, and of an object', async () => {
    expect((await dynamic.forKind(apiVersion, 'CronTab')).resource).toEqual({
      ...cronTabResource,
      kind: 'CronTab',
      namespaced: true,
    });
    const namespaces = await dynamic.forObject({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } });
    expect([namespaces.resource.resource, namespaces.namespace]).toEqual(['namespaces', undefined]);
    expect((await dynamic.forObject(cronTab('x'))).namespace).toBe('default');
    await expect(dynamic.forKind('v1', 'Nope')).rejects.toThrow(NoKindMatchError);
    await expect(dynamic.forObject({ kind: 'Pod' })).rejects.toThrow("Object 'apiVersion' is missing");
  });

  it.each<[string, (client: DynamicClient) => Promise<unknown>, string]>([
    ['an empty name', (client) => client.resource(cronTabResource).get(''), 'name is required'],
    ['an object without a name', (client) => client.resource(cronTabResource).update({}), 'name is required'],
    ['a name that changes the path', (client) => client.resource(cronTabResource).get('..'), `may not be '..'`],
    [
      'a namespace that changes the path',
      (client) => client.resource(cronTabResource).inNamespace('a/b').list(),
      `invalid namespace "a/b": [may not contain '/']`,
    ],
  ])('sends nothing for %s', async (_, call, message) => {
    const { length } = transport.requests;
    await expect(call(dynamic)).rejects.toThrow(message);
    expect(transport.requests).toHaveLength(length);
  });
});

describe('ObjectClient', () => {
  it('applies, reads and deletes objects of any kind', async () => {
    const objects = new ObjectClient(rest);
    const namespace: Unstructured = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'objects' } };
    const configMap: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'objects' },
      data: { a: '1' },
    };
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'objects' } };
    for (const object of [namespace, configMap, cronTab('c')]) await objects.apply(object, { fieldManager: 'me' });
    const applied = await objects.apply({ ...configMap, data: { b: '2' } }, { fieldManager: 'me' });
    expect(applied.data).toEqual({ b: '2' });
    expect((await objects.get<ConfigMap>(reference)).data).toEqual({ b: '2' });
    await objects.update({ ...applied, data: { c: '3' } });
    const patched = await objects.patch<ConfigMap>(reference, 'merge', { data: { d: '4' } });
    expect(patched.data).toEqual({ c: '3', d: '4' });
    const watch = await objects.watch<ConfigMap>({ ...reference }, { fieldSelector: 'metadata.name=c' });
    expect((await objects.list({ apiVersion, kind: 'CronTab' })).items).toHaveLength(1);
    await objects.delete(reference);
    expect(await until(watch, 'DELETED')).toEqual(['ADDED', 'DELETED']);
    await expect(objects.create(cronTab('c'))).rejects.toThrow('crontabs.stable.example.com "c" already exists');
    await objects.delete({ apiVersion, kind: 'CronTab', metadata: { name: 'c' } });
  });
});

describe('MetadataClient', () => {
  it('returns only metadata', async () => {
    const full = dynamic.resource(configMapResource).inNamespace('default');
    const metadata = new MetadataClient(rest).resource(configMapResource).inNamespace('default');
    const watch = await metadata.watch({ labelSelector: 'of=metadata' });
    await full.create({ metadata: { name: 'm', labels: { of: 'metadata' } }, data: { a: '1' } });
    const got = await metadata.get('m');
    expect(Object.keys(got).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(got).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'm' } });
    const patched = await metadata.patch('m', 'merge', { metadata: { annotations: { x: 'y' } } });
    expect(patched).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { annotations: { x: 'y' } } });
    const list = await metadata.list({ labelSelector: 'of=metadata' });
    expect(list.kind).toBe('PartialObjectMetadataList');
    expect(list.items).toEqual([patched]);
    const batch = await watch.nextBatch();
    expect(batch?.[0]).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata' } });
    watch.stop();
    await metadata.deleteCollection({}, { labelSelector: 'of=metadata' });
    await expect(metadata.get('m')).rejects.toSatisfy(isNotFound);
    await expect(metadata.delete('m')).rejects.toSatisfy(isNotFound);
  });

  it('drops everything but metadata when the server sends full objects', async () => {
    const old = new RecordingTransport();
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm' }, data: { a: '1' } };
    const path = '/api/v1/configmaps';
    old.answers.set(`${path}/m`, { status: 200, body: object });
    old.answers.set(path, { status: 200, body: { kind: 'ConfigMapList', apiVersion: 'v1', items: [object] } });
    old.answers.set(`${path}?watch=true`, { status: 200, body: `${JSON.stringify({ type: 'ADDED', object })}\n` });
    const metadata = new MetadataClient(new RESTClient(old)).resource(configMapResource);
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'm' } };
    expect(await metadata.get('m')).toEqual(partial);
    expect((await metadata.list()).items).toEqual([partial]);
    for await (const event of await metadata.watch()) expect(event).toEqual({ type: 'ADDED', object: partial });
  });
});

describe('ScaleClient', () => {
  it('scales a Deployment and a custom resource alike', async () => {
    const deployments = dynamic.resource(
      { group: 'apps', version: 'v1', resource: 'deployments' },
      { kind: 'Deployment' },
    );
    const labels = { app: 'web' };
    await deployments.inNamespace('default').create({
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await dynamic.resource(cronTabResource).inNamespace('default').create(cronTab('web'));
    const scales = new ScaleClient(rest).inNamespace('default');
    for (const resource of [
      { group: 'apps', resource: 'deployments' },
      { group, resource: 'ct' },
    ]) {
      const scale = await scales.get(resource, 'web');
      expect(scale).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } });
      const { metadata, spec } = await scales.update(resource, { metadata: scale.metadata, spec: { replicas: 4 } });
      expect(spec).toEqual({ replicas: 4 });
      await expect(scales.update(resource, scale)).rejects.toSatisfy(isConflict);
      expect((await scales.patch(resource, 'web', 'merge', { spec: { replicas: 2 } })).spec).toEqual({ replicas: 2 });
      expect(metadata.name).toBe('web');
    }
    await expect(scales.get({ group: '', resource: 'nope' }, 'web')).rejects.toThrow(NoResourceMatchError);
    await expect(scales.update({ group: '', resource: 'configmaps' }, { metadata: { name: 'web' } })).rejects.toThrow(
      'could not find scale subresource for /v1, Resource=configmaps in discovery information',
    );
  });
});
