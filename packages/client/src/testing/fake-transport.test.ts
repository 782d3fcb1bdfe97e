import type { ConfigMap, Pod } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { isConflict, isForbidden, newConflict, newForbidden } from '@coxswain/apimachinery/errors';
import { GroupVersionResource } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { DynamicClient, ObjectClient } from '../dynamic/index.ts';
import { ResourceClient } from '../rest/resource-client.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { TransportError } from '../transport/transport.ts';
import { matchesAction } from './action.ts';
import { FakeTransport, type FakeTransportOptions } from './fake-transport.ts';

const podResource = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const pods = GroupVersionResource.of('', 'v1', 'pods');
const pod = (name: string, nodeName = 'n'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels: { of: name } },
  spec: { nodeName, containers: [] },
  status: { phase: 'Running' },
});

function start(options: FakeTransportOptions = {}): { fake: FakeTransport; client: ResourceClient<Pod> } {
  const fake = new FakeTransport(options);
  return { fake, client: new ResourceClient<Pod>(new RESTClient(fake), podResource, 'default') };
}

describe('FakeTransport', () => {
  it('serves the given objects, with their status', async () => {
    const list = { apiVersion: 'v1', kind: 'PodList', items: [pod('b'), pod('c')] };
    const { client } = start({ objects: [pod('a'), list] });
    expect((await client.get('a')).status).toEqual({ phase: 'Running' });
    expect((await client.list()).items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect((await client.list({ labelSelector: 'of in (b,c)' })).items).toHaveLength(2);
  });

  it('serves the kinds of the given objects', async () => {
    const fake = new FakeTransport({
      objects: [{ apiVersion: 'example.com/v1', kind: 'Policy', metadata: { name: 'p', namespace: 'x' } }],
    });
    const objects = new ObjectClient(new RESTClient(fake));
    const found = await objects.list({ apiVersion: 'example.com/v1', kind: 'Policy' });
    expect([found.kind, found.items.length]).toEqual(['PolicyList', 1]);
    expect(fake.actions.map(({ resource }) => resource.resource)).toEqual(['policies']);
  });

  it('records the actions', async () => {
    const { fake, client } = start({ objects: [pod('a')] });
    await client.get('a');
    await client.patch('a', 'merge', { metadata: { labels: { x: 'y' } } }, { subresource: 'status' });
    await client.delete('a', { gracePeriodSeconds: 0 });
    expect(fake.actions).toMatchObject([
      { verb: 'get', resource: pods, namespace: 'default', name: 'a', subresource: '' },
      { verb: 'patch', subresource: 'status', patch: { type: 'merge', body: { metadata: { labels: { x: 'y' } } } } },
      { verb: 'delete', deleteOptions: { gracePeriodSeconds: 0 } },
    ]);
    const [get, patch] = fake.actions;
    if (!get || !patch) throw new Error('two actions');
    expect(matchesAction(patch, 'patch', 'pods')).toBe(true);
    expect(matchesAction(patch, '*', 'pods/status')).toBe(true);
    expect(matchesAction(get, 'get', 'pods/status')).toBe(false);
    expect(matchesAction(get, 'list', '*')).toBe(false);
    fake.clearActions();
    expect(fake.actions).toEqual([]);
  });

  it('calls the reactor that was added last first, and then the others until one returns a response', async () => {
    const { fake, client } = start({ objects: [pod('a')] });
    fake.prependReactor('*', 'pods', () => {
      throw newForbidden(pods.groupResource, 'a', 'no');
    });
    let conflicts = 1;
    fake.prependReactor('update', 'pods', ({ resource, name }) => {
      if (conflicts-- > 0) throw newConflict(resource.groupResource, name, 'meanwhile');
      return undefined;
    });
    fake.prependReactor('get', 'pods', async ({ name }) => ({ ...pod(name), spec: { nodeName: 'made up' } }));
    await expect(client.update(pod('a'))).rejects.toSatisfy(isConflict);
    await expect(client.update(pod('a'))).rejects.toSatisfy(isForbidden);
    expect((await client.get('whatever')).spec?.nodeName).toBe('made up');
  });

  it('can fail like a connection', async () => {
    const { fake, client } = start();
    fake.prependReactor('create', '*', () => {
      throw new TransportError('cut', { code: 'ECONNRESET' });
    });
    await expect(client.create(pod('a'))).rejects.toThrow(TransportError);
  });

  it('watches changes, also those made through the tracker', async () => {
    const { fake, client } = start({ objects: [pod('a')] });
    const { metadata } = await client.list();
    const watch = await client.watch({ resourceVersion: metadata?.resourceVersion ?? '' });
    const tracker = await fake.tracker();
    tracker.add(pod('b'));
    tracker.delete(pods, 'default', 'a');
    const seen: string[] = [];
    for await (const event of watch) {
      if (event.type === 'ADDED' || event.type === 'DELETED') seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['ADDED b', 'DELETED a']);
    expect(await watch.ended).toEqual({ reason: 'stopped' });
  });

  it('ends a watch after its timeout, and reports an expired resource version', async () => {
    const clock = new FakeClock();
    const { fake, client } = start({ clock });
    const watch = await client.watch({ timeoutSeconds: 60 });
    const batch = watch.nextBatch();
    clock.advance(60_000);
    expect(await batch).toBeUndefined();
    expect(await watch.ended).toEqual({ reason: 'closed' });
    const tracker = await fake.tracker();
    tracker.add(pod('a'));
    for (let i = 0; i < 10_001; i++) {
      tracker.update(pods, 'default', { metadata: { name: 'a', annotations: { i: `${i}` } } });
    }
    const old = await client.watch({ resourceVersion: '2' });
    expect(await old.nextBatch()).toBeUndefined();
    expect(await old.ended).toMatchObject({
      reason: 'status',
      error: { code: 410, message: 'too old resource version: 2 (3)' },
    });
  });

  it('lets a reactor supply the events of a watch', async () => {
    const { fake, client } = start();
    fake.prependWatchReactor('pods', async function* () {
      yield { type: 'ADDED', object: pod('made up') };
    });
    const watch = await client.watch();
    expect(await watch.nextBatch()).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'made up' } } }]);
    expect(await watch.nextBatch()).toBeUndefined();
    expect(await watch.ended).toEqual({ reason: 'closed' });
  });

  it('selects by the given selectable fields, and rejects others', async () => {
    const { client } = start({
      objects: [pod('a', 'n1'), pod('b', 'n2')],
      selectableFields: { pods: ['spec.nodeName'] },
    });
    const { items } = await client.list({ fieldSelector: 'spec.nodeName=n2' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    await expect(client.list({ fieldSelector: 'spec.hostNetwork=true' })).rejects.toThrow(
      '"spec.hostNetwork" is not a known field selector: only "metadata.name", "metadata.namespace", "spec.nodeName"',
    );
    await expect(client.list({ labelSelector: 'a in' })).rejects.toMatchObject({ code: 400 });
  });

  it('merges lists of built-in kinds by their keys', async () => {
    const { client } = start({ objects: [{ ...pod('a'), spec: { containers: [{ name: 'x', image: '1' }] } }] });
    const containers = [{ name: 'y', image: '2' }];
    const patched = await client.patch('a', 'strategic-merge', { spec: { containers } });
    expect(patched.spec?.containers.map(({ name }) => name).sort()).toEqual(['x', 'y']);
    const applied = await client.apply(
      { metadata: { name: 'a' }, spec: { containers: [{ name: 'x', image: '3' }] } },
      { fieldManager: 'me' },
    );
    expect(applied.spec?.containers.find(({ name }) => name === 'x')?.image).toBe('3');
    expect(applied.metadata.generation).toBe(3);
  });

  it('stores no reviews and no evictions', async () => {
    const { fake, client } = start({ objects: [pod('a')] });
    const dynamic = new DynamicClient(new RESTClient(fake));
    const reviews = dynamic.resource({ group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 't' } };
    expect(await reviews.create(review)).toEqual(review);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'default' } };
    const evictions = dynamic.resource(podResource).inNamespace('default');
    expect(await evictions.create(eviction, {}, 'eviction')).toEqual(eviction);
    await expect(
      evictions.create({ ...eviction, metadata: { name: 'nope', namespace: 'default' } }, {}, 'eviction'),
    ).rejects.toThrow('pods "nope" not found');
    expect((await client.list()).items).toHaveLength(1);
  });

  it('reads a namespace and objects in it', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } };
    const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'status', namespace: 'x' } };
    const objects = new ObjectClient(new RESTClient(new FakeTransport({ objects: [namespace, configMap] })));
    expect(await objects.get(namespace)).toMatchObject({ kind: 'Namespace' });
    expect(
      await objects.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'status', namespace: 'x' } }),
    ).toMatchObject(configMap);
    await objects.apply({ ...namespace, status: { phase: 'Active' } }, { fieldManager: 'me', subresource: 'status' });
    expect(await objects.get(namespace)).toMatchObject({ status: { phase: 'Active' } });
  });

  it('generates the same names and UIDs from the same random numbers', async () => {
    const names = async (): Promise<unknown> => {
      const { client } = start({ random: () => 0.5, clock: new FakeClock() });
      const { metadata } = await client.create({ ...pod(''), metadata: { generateName: 'p-' } });
      await expect(client.create({ ...pod(''), metadata: { generateName: 'p-' } })).rejects.toThrow(
        `pods "${metadata.name}" already exists, the server was not able to generate a unique name for the object`,
      );
      return metadata;
    };
    expect(await names()).toEqual(await names());
  });

  it('ends watches and rejects requests after close', async () => {
    const { fake, client } = start();
    const watch = await client.watch();
    await fake.close();
    expect(await watch.nextBatch()).toBeUndefined();
    expect(await watch.ended).toMatchObject({ reason: 'broken' });
    await expect(client.list()).rejects.toThrow('the transport was closed');
    await expect(fake.openWebSocket()).rejects.toThrow(TransportError);
  });

  it('aborts with the signal', async () => {
    const { client } = start();
    const controller = new AbortController();
    const watch = await client.watch({ signal: controller.signal });
    const batch = watch.nextBatch();
    controller.abort(new Error('enough'));
    expect(await batch).toBeUndefined();
    expect(await watch.ended).toEqual({ reason: 'stopped' });
    await expect(client.list({ signal: controller.signal })).rejects.toThrow('enough');
  });
});
