import type { Namespace } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { alwaysDeny } from '../always-deny.ts';
import { admit, newContext, type TestWrite } from '../plugin-runner.test-data.ts';
import { namespaceAutoProvision } from './namespace-auto-provision.ts';
import { namespaceExists } from './namespace-exists.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

const namespace = (name: string, phase: 'Active' | 'Terminating' = 'Active'): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  status: { phase },
});
const configMap = { metadata: { name: 'c' } };
const makes: TestWrite = { send: 'CREATE v1 configmaps ConfigMap', object: configMap };
const deletesNamespace = (name: string): TestWrite => ({
  send: 'DELETE v1 namespaces Namespace',
  name,
  namespace: name,
  oldObject: namespace(name),
});

describe('NamespaceLifecycle', () => {
  const cases: Record<string, [TestWrite, unknown]> = {
    'allows creates in an existing namespace': [makes, configMap],
    'rejects creates in a missing namespace': [{ ...makes, namespace: 'lost' }, 'namespaces "lost" not found'],
    'rejects creates in a terminating namespace': [
      { ...makes, namespace: 'ending' },
      'configmaps "c" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ],
    'allows updates in a terminating namespace': [
      { send: 'UPDATE v1 configmaps ConfigMap', object: configMap, namespace: 'ending' },
      configMap,
    ],
    'rejects updates in a missing namespace': [
      { send: 'UPDATE v1 configmaps ConfigMap', object: configMap, namespace: 'lost' },
      'namespaces "lost" not found',
    ],
    'allows deletes in a missing namespace': [
      { send: 'DELETE v1 configmaps ConfigMap', oldObject: configMap, namespace: 'lost' },
      undefined,
    ],
    'allows access reviews in a missing namespace': [
      {
        send: 'CREATE authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview',
        object: {},
        namespace: 'lost',
      },
      {},
    ],
    'rejects the deletion of kube-system': [
      deletesNamespace('kube-system'),
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ],
    'allows the deletion of other namespaces': [deletesNamespace('ns'), undefined],
    'reports the generateName of an object without a name': [
      { ...makes, object: { metadata: { generateName: 'g-' } }, namespace: 'ending' },
      'configmaps "g-" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [write, expected]) => {
    const plugin = namespaceLifecycle(newContext([namespace('ns'), namespace('ending', 'Terminating')]));
    expect(await admit(plugin, write)).toEqual(expected);
  });

  it('reads a recently deleted namespace from the store for 30 seconds', async () => {
    let now = 0;
    const context = newContext([namespace('ns')], { now: () => new Date(now) });
    const plugin = namespaceLifecycle(context);
    await admit(plugin, makes);
    expect(context.client.requests).toEqual([]);
    await admit(plugin, deletesNamespace('ns'));
    await admit(plugin, makes);
    expect(context.client.requests).toEqual(['get namespaces/ns']);
    now = 30_000;
    await admit(plugin, makes);
    expect(context.client.requests).toHaveLength(1);
  });
});

describe('NamespaceExists', () => {
  const plugin = namespaceExists(newContext([namespace('ns')]));
  it('also rejects deletes in a missing namespace', async () => {
    expect(await admit(plugin, makes)).toEqual(configMap);
    expect(
      await admit(plugin, { send: 'DELETE v1 configmaps ConfigMap', oldObject: configMap, namespace: 'lost' }),
    ).toBe('namespaces "lost" not found');
    expect(await admit(plugin, deletesNamespace('lost'))).toBeUndefined();
  });
});

describe('NamespaceAutoProvision', () => {
  it('creates the namespace, except in a dry run', async () => {
    const context = newContext([namespace('ns')]);
    const plugin = namespaceAutoProvision(context);
    await admit(plugin, makes);
    await admit(plugin, { ...makes, namespace: 'new', dryRun: true });
    await admit(plugin, { send: 'CREATE v1 nodes Node', object: {}, namespace: '' });
    expect(context.client.requests).toEqual([]);
    await admit(plugin, { ...makes, namespace: 'new' });
    expect(context.client.requests).toEqual(['create namespaces/new']);
    context.client.intercept = () => {
      throw new Error('the store is full');
    };
    expect(await admit(plugin, { ...makes, namespace: 'more' })).toBe('configmaps "c" is forbidden: the store is full');
  });
});

it('AlwaysDeny rejects all operations', async () => {
  const refused = 'configmaps "c" is forbidden: admission control is denying all modifications';
  expect(await admit(alwaysDeny(), makes)).toBe(refused);
  expect(await admit(alwaysDeny(), { send: 'CONNECT v1 configmaps ConfigMap', name: 'c' })).toBe(refused);
});
