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
    'creates in a namespace that is there': [makes, configMap],
    'not in one that is not': [{ ...makes, namespace: 'lost' }, 'namespaces "lost" not found'],
    'not in one that ends': [
      { ...makes, namespace: 'ending' },
      'configmaps "c" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ],
    'updates in one that ends': [
      { send: 'UPDATE v1 configmaps ConfigMap', object: configMap, namespace: 'ending' },
      configMap,
    ],
    'updates in none that is not there': [
      { send: 'UPDATE v1 configmaps ConfigMap', object: configMap, namespace: 'lost' },
      'namespaces "lost" not found',
    ],
    'deletes anywhere': [
      { send: 'DELETE v1 configmaps ConfigMap', oldObject: configMap, namespace: 'lost' },
      undefined,
    ],
    'asks about anywhere': [
      {
        send: 'CREATE authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview',
        object: {},
        namespace: 'lost',
      },
      {},
    ],
    'keeps what a cluster needs': [
      deletesNamespace('kube-system'),
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ],
    'deletes others': [deletesNamespace('ns'), undefined],
    'says how a thing without a name begins': [
      { ...makes, object: { metadata: { generateName: 'g-' } }, namespace: 'ending' },
      'configmaps "g-" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [write, expected]) => {
    const plugin = namespaceLifecycle(newContext([namespace('ns'), namespace('ending', 'Terminating')]));
    expect(await admit(plugin, write)).toEqual(expected);
  });

  it('asks the store about a namespace that was just deleted, for half a minute', async () => {
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
  it('refuses also to delete in a namespace that is not there', async () => {
    expect(await admit(plugin, makes)).toEqual(configMap);
    expect(
      await admit(plugin, { send: 'DELETE v1 configmaps ConfigMap', oldObject: configMap, namespace: 'lost' }),
    ).toBe('namespaces "lost" not found');
    expect(await admit(plugin, deletesNamespace('lost'))).toBeUndefined();
  });
});

describe('NamespaceAutoProvision', () => {
  it('makes the namespace, unless nothing is to be kept', async () => {
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

it('AlwaysDeny refuses whatever there is', async () => {
  const refused = 'configmaps "c" is forbidden: admission control is denying all modifications';
  expect(await admit(alwaysDeny(), makes)).toBe(refused);
  expect(await admit(alwaysDeny(), { send: 'CONNECT v1 configmaps ConfigMap', name: 'c' })).toBe(refused);
});
