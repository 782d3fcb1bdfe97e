import { FeatureGates } from '@coxswain/api';
import type { ConfigMap, Namespace, Pod } from '@coxswain/api/core/v1';
import { isAlreadyExists, isConflict, isNotFound, type KubernetesObject } from '@coxswain/apimachinery';
import { nodeSignatures } from '@coxswain/client/x509';
import { openMemoryStore, type Store } from '@coxswain/storage';
import { beforeEach, describe, expect, it } from 'vitest';
import { testRegistries } from './registries.test-data.ts';
import type { WriteContext } from './resource-hooks.ts';
import type { ResourceRegistry } from './resource-registry.ts';

const now = (): Date => new Date('2026-01-02T03:04:05Z');
const context: WriteContext = {
  features: FeatureGates.defaults,
  namespace: 'default',
  now,
  dryRun: false,
  signatures: nodeSignatures,
};
const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default' },
  data,
});

let store: Store;
let configMaps: ResourceRegistry;
let pods: ResourceRegistry;
let namespaces: ResourceRegistry;

beforeEach(() => {
  const made = testRegistries();
  store = made.store;
  configMaps = made.registries.registry('', 'configmaps');
  pods = made.registries.registry('', 'pods');
  namespaces = made.registries.registry('', 'namespaces');
});

const read = async (registry: ResourceRegistry, name: string): Promise<KubernetesObject> =>
  registry.codec.decode((await registry.get('default', name, '')).line);

describe('creating', () => {
  it('sets name, uid, creationTimestamp and resourceVersion', async () => {
    await configMaps.create(configMap('a'), context);
    expect((await read(configMaps, 'a')).metadata).toMatchObject({
      name: 'a',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creationTimestamp: '2026-01-02T03:04:05Z',
      resourceVersion: String(await store.currentRevision()),
    });
  });

  it('refuses a name that exists', async () => {
    await configMaps.create(configMap('a'), context);
    await expect(configMaps.create(configMap('a'), context)).rejects.toSatisfy(isAlreadyExists);
  });

  it('stores nothing on a dry run, and returns no resourceVersion', async () => {
    const before = await store.currentRevision();
    const made = await configMaps.create(configMap('a'), { ...context, dryRun: true });
    expect(configMaps.codec.decode(made.line).metadata).not.toHaveProperty('resourceVersion');
    expect(await store.currentRevision()).toBe(before);
  });

  it('generates another name when one is taken, up to a limit', async () => {
    const suffixes = ['aaaaa', 'aaaaa', 'bbbbb', ...Array.from({ length: 8 }, () => 'bbbbb')];
    const made = testRegistries();
    const registry = made.registries.registry('', 'configmaps');
    Object.assign(registry.random, { nameSuffix: () => suffixes.shift() ?? 'zzzzz' });
    const generated: ConfigMap = { ...configMap(''), metadata: { generateName: 'x-', namespace: 'default' } };
    expect((await registry.create(generated, context)).name).toBe('x-aaaaa');
    expect((await registry.create(generated, context)).name).toBe('x-bbbbb');
    await expect(registry.create(generated, context)).rejects.toMatchObject({
      status: { reason: 'AlreadyExists', details: { name: 'x-bbbbb', retryAfterSeconds: 1 } },
    });
  });

  it('rolls reservations back when the object is refused', async () => {
    const calls: string[] = [];
    const { registries } = testRegistries();
    const registry = registries.registry('', 'configmaps');
    Object.assign(registry.definition.hooks, {
      beginCreate: async () => ({ commit: () => calls.push('commit'), rollback: () => calls.push('rollback') }),
    });
    await expect(registry.create(configMap('Not A Name'), context)).rejects.toThrow('is invalid');
    await registry.create(configMap('a'), context);
    await expect(registry.create(configMap('a'), context)).rejects.toThrow('already exists');
    await registry.create(configMap('b'), { ...context, dryRun: true });
    expect(calls).toEqual(['rollback', 'commit', 'rollback', 'rollback']);
  });

  it('keeps reservations of an object that was stored but cannot be shown', async () => {
    const calls: string[] = [];
    const { registries } = testRegistries();
    const registry = registries.registry('', 'configmaps');
    Object.assign(registry.definition.hooks, {
      beginCreate: async () => ({ commit: () => calls.push('commit'), rollback: () => calls.push('rollback') }),
    });
    registry.written = () => Promise.reject(new Error('no conversion webhook'));
    await expect(registry.create(configMap('a'), context)).rejects.toThrow('no conversion webhook');
    expect(calls).toEqual(['commit']);
  });
});

describe('updating', () => {
  const put = (object: KubernetesObject, name = 'a') =>
    configMaps.update({ namespace: 'default', name, context, change: async () => object });

  it('writes nothing when nothing changes', async () => {
    await configMaps.create(configMap('a', { k: 'v' }), context);
    const before = await store.currentRevision();
    const { stored } = await put(configMap('a', { k: 'v' }));
    expect(await store.currentRevision()).toBe(before);
    expect(stored).toBe(configMaps.current('/registry/configmaps/default/a')?.value);
  });

  it('refuses a resource version that is not the current one', async () => {
    await configMaps.create(configMap('a'), context);
    const stale = {
      ...configMap('a', { k: 'v' }),
      metadata: { name: 'a', namespace: 'default', resourceVersion: '1' },
    };
    await expect(put(stale)).rejects.toSatisfy(isConflict);
  });

  it('repeats the change after a concurrent write, so that no change is lost', async () => {
    await configMaps.create(configMap('a'), context);
    const adding = (key: string) =>
      configMaps.update({
        namespace: 'default',
        name: 'a',
        context,
        change: async (current) => {
          await Promise.resolve();
          return configMap('a', { ...(current as ConfigMap).data, [key]: 'v' });
        },
      });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(adding));
    expect(Object.keys(((await read(configMaps, 'a')) as ConfigMap).data ?? {}).sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
  });

  it('throws NotFound when the object does not exist', async () => {
    await expect(put(configMap('a'))).rejects.toSatisfy(isNotFound);
  });

  it('keeps creationTimestamp and uid, whatever the client sends', async () => {
    await configMaps.create(configMap('a'), context);
    const { metadata } = await read(configMaps, 'a');
    const sent = { ...configMap('a', { k: 'v' }), metadata: { name: 'a', creationTimestamp: '1999-01-01T00:00:00Z' } };
    await put(sent);
    expect((await read(configMaps, 'a')).metadata).toMatchObject({
      creationTimestamp: metadata?.creationTimestamp,
      uid: metadata?.uid,
    });
  });

  it('removes a deleted object when its last finalizer is removed', async () => {
    await configMaps.create(
      { ...configMap('a'), metadata: { ...configMap('a').metadata, finalizers: ['x.io/y'] } },
      context,
    );
    await configMaps.delete({ namespace: 'default', name: 'a', options: {}, dryRun: false });
    expect((await read(configMaps, 'a')).metadata).toMatchObject({
      deletionTimestamp: '2026-01-02T03:04:05Z',
      deletionGracePeriodSeconds: 0,
    });
    await put(configMap('a'));
    await expect(read(configMaps, 'a')).rejects.toSatisfy(isNotFound);
  });
});

describe('deleting', () => {
  const remove = (registry: ResourceRegistry, name: string, options = {}, namespace = 'default') =>
    registry.delete({ namespace, name, options, dryRun: false });
  const pod = (spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 30, ...spec },
  });
  const makePod = async (spec?: Partial<NonNullable<Pod['spec']>>): Promise<void> => {
    const complete = pod(spec);
    const { restartPolicy = 'Always', dnsPolicy = 'ClusterFirst' } = complete.spec ?? {};
    const [container] = complete.spec?.containers ?? [];
    const defaults = { terminationMessagePolicy: 'File', imagePullPolicy: 'Always' } as const;
    const containers = [{ ...container!, ...defaults }];
    const defaulted: Pod = { ...complete, spec: { ...complete.spec, restartPolicy, dnsPolicy, containers } };
    await pods.create(defaulted, context);
  };

  it('gives scheduled pods their grace period, which can only be shortened', async () => {
    await makePod({ nodeName: 'n' });
    await remove(pods, 'p');
    const marked = await read(pods, 'p');
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: '2026-01-02T03:04:35Z',
      deletionGracePeriodSeconds: 30,
    });
    await remove(pods, 'p', { gracePeriodSeconds: 60 });
    expect(await read(pods, 'p')).toEqual(marked);
    await remove(pods, 'p', { gracePeriodSeconds: 5 });
    expect((await read(pods, 'p')).metadata).toMatchObject({
      deletionTimestamp: '2026-01-02T03:04:10Z',
      deletionGracePeriodSeconds: 5,
    });
    await remove(pods, 'p', { gracePeriodSeconds: 0 });
    await expect(read(pods, 'p')).rejects.toSatisfy(isNotFound);
  });

  it('removes unscheduled pods at once', async () => {
    await makePod();
    expect(await remove(pods, 'p')).toMatchObject({ deleted: true });
  });

  it.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ])('%s leaves the object to the garbage collector', async (propagationPolicy, finalizers) => {
    await configMaps.create(configMap('a'), context);
    await remove(configMaps, 'a', { propagationPolicy });
    expect((await read(configMaps, 'a')).metadata?.finalizers).toEqual(finalizers);
  });

  it('marks namespaces until they are finalized', async () => {
    const { namespace: _, ...clusterWide } = context;
    const namespace: Namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n' } };
    await namespaces.create(namespace, clusterWide);
    await remove(namespaces, 'n', {}, '');
    const terminating = namespaces.codec.decode((await namespaces.get('', 'n', '')).line) as Namespace;
    expect(terminating).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect(terminating.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const before = await store.currentRevision();
    await remove(namespaces, 'n', {}, '');
    expect(await store.currentRevision()).toBe(before);
    const emptied: Namespace = { ...terminating, spec: {} };
    await namespaces.update({
      namespace: '',
      name: 'n',
      subresource: 'finalize',
      context: clusterWide,
      change: async () => emptied,
    });
    await expect(namespaces.get('', 'n', '')).rejects.toSatisfy(isNotFound);
  });

  it('changes nothing on a dry run', async () => {
    await configMaps.create(configMap('a'), context);
    await configMaps.delete({ namespace: 'default', name: 'a', options: {}, dryRun: true });
    expect(await read(configMaps, 'a')).toBeDefined();
  });
});

describe('names that would change the key’s path', () => {
  it.each(['', '.', '..', 'a/b', 'a%b'])('refuses %j', async (name) => {
    await expect(configMaps.get('default', name, '')).rejects.toMatchObject({ status: { code: 400 } });
  });
});

describe('objects that cannot be decoded', () => {
  it('are a 500 that names the key', async () => {
    const broken = openMemoryStore();
    await broken.put('/registry/configmaps/default/bad', Buffer.from('{"kind":"Secret"}'), { expected: 0 });
    const registry = testRegistries({ store: broken }).registries.registry('', 'configmaps');
    await expect(registry.get('default', 'bad', '')).rejects.toMatchObject({ status: { code: 500 } });
    await expect(registry.get('default', 'bad', '')).rejects.toThrow('/registry/configmaps/default/bad');
  });
});
