import type { ClusterRole, PolicyRule } from '@coxswain/api/rbac/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { aggregatedRules, areSameRules } from './aggregated-rules.ts';
import { clusterRoleAggregationController } from './index.ts';

const rule = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const part = (name: string, label: string, ...resources: string[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels: { [label]: 'true' } },
  rules: resources.map(rule),
});
const whole = (...labels: string[]): ClusterRole => ({
  ...part('whole', 'a'),
  aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })) },
});
/** The rules are null for a role without rules. */
const resourcesOf = (rules?: readonly PolicyRule[] | null): string[] =>
  (rules ?? []).flatMap(({ resources = [] }) => resources);

describe('aggregated rules', () => {
  it('are those of all selected roles, by selector and then by name, without duplicates', () => {
    const roles = [part('z', 'a', 'pods', 'nodes'), part('y', 'b', 'secrets'), part('x', 'a', 'configmaps', 'pods')];
    expect(resourcesOf(aggregatedRules(whole('b', 'a'), [...roles, whole('b', 'a')]))).toEqual([
      'secrets',
      'configmaps',
      'pods',
      'nodes',
    ]);
  });

  it('do not include those of the role itself', () =>
    expect(aggregatedRules(whole('a'), [part('whole', 'a', 'pods')])).toEqual([]));

  it('are equal when they differ only in empty and absent lists', () => {
    const spelled: PolicyRule = { ...rule('pods'), resourceNames: [], nonResourceURLs: [] };
    expect(areSameRules([rule('pods')], [spelled])).toBe(true);
    expect(areSameRules([rule('pods')], [rule('pods'), rule('nodes')])).toBe(false);
    expect(areSameRules([rule('pods')], [rule('nodes')])).toBe(false);
    expect(
      resourcesOf(aggregatedRules(whole('a'), [part('x', 'a', 'pods'), { ...part('y', 'a'), rules: [spelled] }])),
    ).toEqual(['pods']);
  });

  it('reject invalid selectors', () => {
    const bad = { matchExpressions: [{ key: 'a', operator: 'Is' as 'In', values: ['b'] }] };
    expect(() => aggregatedRules({ ...whole(), aggregationRule: { clusterRoleSelectors: [bad] } }, [])).toThrow(
      '"Is" is not a valid label selector operator',
    );
  });
});

describe('the controller', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await TestCluster.start({ controllers: [clusterRoleAggregationController] });
    await cluster.settle();
    await roles().create(part('x', 'a', 'pods'));
    await roles().create(whole('a'));
    await cluster.settle();
    return () => cluster.stop();
  }, 60_000);

  const roles = () => cluster.clients.rbac.v1.clusterRoles();
  const resources = async (name = 'whole'): Promise<string[]> => {
    await cluster.settle();
    return resourcesOf((await roles().get(name)).rules);
  };

  it('applies only the rules, as its own field manager', async () => {
    expect(await resources()).toEqual(['pods']);
    const { managedFields = [] } = (await roles().get('whole')).metadata;
    expect(managedFields.filter(({ operation }) => operation === 'Apply')).toEqual([
      expect.objectContaining({ manager: 'clusterrole-aggregation-controller', fieldsV1: { 'f:rules': {} } }),
    ]);
    expect(cluster.spy.writes.filter(({ url }) => url.includes('/whole'))).toEqual([
      { method: 'PATCH', url: expect.stringContaining('force=true') },
    ]);
  });

  it('aggregates the default roles, including those that aggregate each other', async () => {
    const view = await resources('view');
    expect(view).toContain('configmaps');
    expect(await resources('edit')).toEqual(expect.arrayContaining(view));
    expect(await resources('admin')).toEqual(expect.arrayContaining(['rolebindings', ...view]));
    cluster.spy.requests.length = 0;
    await cluster.advance(60_000);
    expect(cluster.spy.writes).toEqual([]);
  });

  it('updates the role when its parts are added, changed or deleted, and only then', async () => {
    await roles().create(part('w', 'a', 'nodes'));
    expect(await resources()).toEqual(['nodes', 'pods']);
    await roles().patch('x', 'merge', { metadata: { labels: { a: null } } });
    expect(await resources()).toEqual(['nodes']);
    cluster.spy.requests.length = 0;
    await roles().create(part('other', 'c', 'pods'));
    await roles().create(part('v', 'a', 'nodes'));
    expect(await resources()).toEqual(['nodes']);
    expect(cluster.spy.writes).toEqual([]);
    await roles().delete('w');
    await roles().delete('v');
    expect(await resources()).toEqual([]);
  });

  it('retries failed writes', async () => {
    let failures = 2;
    cluster.spy.plan = ({ method }) => {
      if (method === 'PATCH' && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await roles().create(part('w', 'a', 'nodes'));
    await cluster.advance(500, 100);
    expect(await resources()).toEqual(['nodes', 'pods']);
    expect(failures).toBe(-1);
  });
});
