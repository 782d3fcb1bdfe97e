import type { ClusterRole, PolicyRule } from '@coxswain/api/rbac/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { ClientSet, FakeClock, RESTClient } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControllerManager } from '../framework/controller-manager.ts';
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
const resourcesOf = (rules: readonly PolicyRule[] = []): string[] => rules.flatMap(({ resources = [] }) => resources);

describe('aggregated rules', () => {
  it('are those of all roles that are selected, selector by selector, by name, each once', () => {
    const roles = [part('z', 'a', 'pods', 'nodes'), part('y', 'b', 'secrets'), part('x', 'a', 'configmaps', 'pods')];
    expect(resourcesOf(aggregatedRules(whole('b', 'a'), [...roles, whole('b', 'a')]))).toEqual([
      'secrets',
      'configmaps',
      'pods',
      'nodes',
    ]);
  });

  it('are not the own', () => expect(aggregatedRules(whole('a'), [part('whole', 'a', 'pods')])).toEqual([]));

  it('are the same whether what is empty is there or not', () => {
    const spelled: PolicyRule = { ...rule('pods'), resourceNames: [], nonResourceURLs: [] };
    expect(areSameRules([rule('pods')], [spelled])).toBe(true);
    expect(areSameRules([rule('pods')], [rule('pods'), rule('nodes')])).toBe(false);
    expect(areSameRules([rule('pods')], [rule('nodes')])).toBe(false);
    expect(
      resourcesOf(aggregatedRules(whole('a'), [part('x', 'a', 'pods'), { ...part('y', 'a'), rules: [spelled] }])),
    ).toEqual(['pods']);
  });

  it('need selectors that can be understood', () => {
    const bad = { matchExpressions: [{ key: 'a', operator: 'Is' as 'In', values: ['b'] }] };
    expect(() => aggregatedRules({ ...whole(), aggregationRule: { clusterRoleSelectors: [bad] } }, [])).toThrow(
      '"Is" is not a valid label selector operator',
    );
  });
});

/** On a fake server: the real one of ours aggregates by itself, and would always be first. */
describe('the controller', () => {
  const clock = new FakeClock();
  let fake: FakeTransport;
  let clients: ClientSet;
  let stop: AbortController;
  let running: Promise<void>;
  beforeEach(() => {
    fake = new FakeTransport({ objects: [part('x', 'a', 'pods'), whole('a')] });
    clients = new ClientSet(new RESTClient(fake));
    stop = new AbortController();
    const manager = new ControllerManager({
      rest: new RESTClient(fake),
      controllers: [clusterRoleAggregationController],
      clock,
      freezeCaches: true,
    });
    running = manager.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await fake.close();
  });

  const roles = () => clients.rbac.v1.clusterRoles();
  const applied = () => fake.actions.filter(({ verb }) => verb === 'patch');
  const has = (...resources: string[]) =>
    expect.poll(async () => resourcesOf((await roles().get('whole')).rules), { timeout: 20_000 }).toEqual(resources);

  it('applies the rules, and nothing else, in its name', async () => {
    await has('pods');
    expect(applied()).toHaveLength(1);
    expect(applied()[0]).toMatchObject({
      name: 'whole',
      options: { fieldManager: 'clusterrole-aggregation-controller', force: 'true' },
      patch: {
        type: 'apply',
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'whole' },
          rules: [rule('pods')],
        },
      },
    });
  });

  it('follows when parts come, change and go, and writes nothing when nothing has to change', async () => {
    await has('pods');
    await roles().create(part('w', 'a', 'nodes'));
    await has('nodes', 'pods');
    await roles().patch('x', 'merge', { metadata: { labels: { a: null } } });
    await has('nodes');
    fake.clearActions();
    await roles().create(part('other', 'c', 'pods'));
    await roles().create(part('v', 'a', 'nodes'));
    await roles().create(part('u', 'a', 'secrets'));
    await has('secrets', 'nodes');
    expect(applied()).toHaveLength(1);
  });

  it('tries again what fails', async () => {
    await has('pods');
    let failures = 2;
    fake.prependReactor('patch', 'clusterroles', () => {
      if (failures-- > 0) throw newInternalError(new Error('injected'));
      return undefined;
    });
    await roles().create(part('w', 'a', 'nodes'));
    for (let i = 0; i < 5; i++) await clock.advance(100);
    await has('nodes', 'pods');
    expect(failures).toBe(-1);
  });
});
