import type { ClusterRole, PolicyRule } from '@coxswain/api/rbac/v1';
import { describe, expect, it } from 'vitest';
import { rbacPolicy } from '../bootstrap/rbac-policy/index.ts';
import { ClusterRoleAggregator } from './cluster-role-aggregator.ts';
import { MemoryClient } from './memory-client.test-data.ts';
import { MemoryListers } from './memory-listers.test-data.ts';

const group = 'rbac.authorization.k8s.io';
const rule = (...resources: string[]): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources });

function world(...roles: ClusterRole[]) {
  const listers = new MemoryListers();
  const client = new MemoryClient(listers);
  listers.set(...roles);
  const errors: unknown[] = [];
  const aggregator = new ClusterRoleAggregator(client, listers, (error) => errors.push(error));
  const rulesOf = (name: string) => listers.lister<ClusterRole>(group, 'clusterroles').get('', name)?.rules;
  return { listers, client, aggregator, rulesOf, errors };
}

const role = (
  name: string,
  labels: Record<string, string>,
  rules: PolicyRule[],
  ...gathers: string[]
): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules,
  ...(gathers.length > 0 && {
    aggregationRule: { clusterRoleSelectors: gathers.map((label) => ({ matchLabels: { [label]: 'true' } })) },
  }),
});

/** Lets the aggregator see and answer what happened. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
}

describe('ClusterRoleAggregator', () => {
  it('fills a role selector by selector, roles by name, each rule once, and not with its own', async () => {
    const { aggregator, rulesOf } = world(
      role('z', { a: 'true' }, [rule('z'), rule('x')]),
      role('b', { a: 'true' }, [rule('x'), { ...rule('named'), resourceNames: [] }]),
      role('c', { b: 'true' }, [rule('c'), rule('named')]),
      role('target', { a: 'true' }, [rule('old')], 'b', 'a'),
    );
    await aggregator.start();
    expect(rulesOf('target')).toEqual([rule('c'), rule('named'), rule('x'), rule('z')]);
    aggregator.close();
  });

  it('fills admin, edit and view with one write each, and writes nothing again', async () => {
    const { clusterRoles } = rbacPolicy();
    const { aggregator, client, rulesOf, listers } = world(...clusterRoles);
    await aggregator.start();
    expect(client.requests.sort()).toEqual(['admin', 'edit', 'view'].map((name) => `update clusterroles/${name}`));
    const rules = (name: string) => clusterRoles.find(({ metadata }) => metadata.name === name)?.rules ?? [];
    const [toView, toEdit, toAdmin] = ['view', 'edit', 'admin'].map((name) => rules(`system:aggregate-to-${name}`));
    expect(rulesOf('view')).toEqual(toView);
    expect(rulesOf('edit')).toEqual([...toEdit!, ...toView!]);
    expect(rulesOf('admin')).toEqual([...toEdit!, ...toView!, ...toAdmin!]);
    listers.set(role('other', {}, []));
    await settle();
    expect(client.requests).toHaveLength(3);
    aggregator.close();
    expect(listers.followers).toBe(0);
  });

  it('follows what is added and taken away', async () => {
    const { aggregator, listers, rulesOf } = world(role('target', {}, [], 'a'));
    await aggregator.start();
    listers.set(role('x', { a: 'true' }, [rule('x')]));
    await settle();
    expect(rulesOf('target')).toEqual([rule('x')]);
    listers.of(group, 'clusterroles').delete('', 'x');
    await settle();
    expect(rulesOf('target')).toEqual([]);
    aggregator.close();
  });

  it('ends where roles gather each other', async () => {
    const { aggregator, client, rulesOf } = world(
      role('p', { q: 'true' }, [], 'p'),
      role('q', { p: 'true' }, [], 'q'),
      role('x', { p: 'true' }, [rule('x')]),
      role('y', { q: 'true' }, [rule('y')]),
    );
    await aggregator.start();
    await settle();
    const writes = client.requests.length;
    expect(rulesOf('p')).toEqual(expect.arrayContaining([rule('x'), rule('y')]));
    expect(rulesOf('q')).toEqual(expect.arrayContaining([rule('x'), rule('y')]));
    await settle();
    expect(client.requests).toHaveLength(writes);
    aggregator.close();
  });

  it('reports a write that failed, and does not when closed', async () => {
    const { aggregator, client, errors } = world(role('target', {}, [], 'a'), role('x', { a: 'true' }, [rule('x')]));
    client.intercept = () => {
      throw new Error('disk full');
    };
    await aggregator.start();
    expect(errors).toEqual([new Error('disk full')]);
    aggregator.close();
  });
});
