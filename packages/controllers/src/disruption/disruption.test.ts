import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget } from '@coxswain/api/policy/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { budgetStatus, countHealthy, desiredHealthy, failedStatus, pendingDisruptions } from './budget-status.ts';
import { disruptionController } from './index.ts';

const s = 1000;
type Spec = NonNullable<PodDisruptionBudget['spec']>;

describe('desiredHealthy', () => {
  it.each([
    [{ maxUnavailable: 1 }, 5, 4],
    [{ maxUnavailable: '30%' }, 5, 3],
    [{ maxUnavailable: 7 }, 5, 0],
    [{ minAvailable: 3 }, 5, 3],
    [{ minAvailable: '50%' }, 5, 3],
    [{}, 5, 0],
  ] as [Spec, number, number][])('%j of %i', (spec, expected, healthy) => {
    expect(desiredHealthy({ metadata: {}, spec }, expected)).toBe(healthy);
  });
  it('throws without a number or percentage', () => {
    expect(() => desiredHealthy({ metadata: {}, spec: { maxUnavailable: 'x' } }, 1)).toThrow('not a percentage');
  });
});

describe('granted evictions', () => {
  const at = (ms: number): string => new Date(ms).toISOString();
  const pod = (name: string, deletionTimestamp?: string): Pod => ({
    metadata: { name, ...(deletionTimestamp && { deletionTimestamp }) },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const budget = (disruptedPods: Record<string, string>): PodDisruptionBudget => ({
    metadata: {},
    status: { disruptedPods },
  });
  it('are pending until the pods are deleted or overdue', () => {
    const pods = [pod('new'), pod('newer'), pod('old'), pod('going', at(0)), pod('other')];
    const granted = { new: at(0), newer: at(1000), old: at(-1), going: at(0), gone: at(0) };
    const found = pendingDisruptions(pods, budget(granted), 120_000);
    expect(found).toEqual({ pods: { new: at(0), newer: at(1000) }, overdue: [pods[2]], recheckAt: 120_000 });
    expect(countHealthy(pods, found.pods, 120_000)).toBe(3);
  });
  it('cause no status update when nothing has changed', () => {
    const counts = { currentHealthy: 2, desiredHealthy: 1, expectedPods: 3, disruptedPods: {} };
    const status = budgetStatus({ metadata: { generation: 2 } }, counts, new Date(0))!;
    expect(budgetStatus({ metadata: { generation: 2 }, status }, counts, new Date(1))).toBeUndefined();
    expect(budgetStatus({ metadata: { generation: 3 }, status }, counts, new Date(1))).toBeDefined();
    const failed = failedStatus({ metadata: {}, status }, 'no', new Date(1))!;
    expect(failed).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 2 });
    expect(failedStatus({ metadata: {}, status: failed }, 'no', new Date(2))).toBeUndefined();
    expect(budgetStatus({ metadata: { generation: 2 }, status: failed }, counts, new Date(2))).toMatchObject({
      disruptionsAllowed: 1,
    });
  });
});

describe('a budget', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await TestCluster.start({ controllers: [disruptionController] });
    await cluster.settle();
  }, 60_000);
  afterEach(() => cluster.stop());

  const pods = () => cluster.clients.core.v1.pods('default');
  const budgets = () => cluster.clients.policy.v1.podDisruptionBudgets('default');
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  const selector = { matchLabels: { app: 'web' } };

  /** Creates a pod, optionally with a controller reference. */
  async function createPod(name: string, owner?: { kind: string; name: string; uid: string; apiVersion?: string }) {
    const ownerReferences = owner && [{ apiVersion: 'apps/v1', controller: true, ...owner }];
    const metadata = { name, ...template.metadata, ...(ownerReferences && { ownerReferences }) };
    await pods().create({ metadata, spec: template.spec });
    await setReady(name, true);
  }
  async function setReady(name: string, isReady: boolean): Promise<void> {
    const ready = { type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) };
    const status = { phase: 'Running' as const, conditions: [ready] };
    await pods().patch(name, 'strategic-merge', { status }, { subresource: 'status' });
    await cluster.settle();
  }
  async function createReplicaSet(name: string, replicas: number, owner?: { uid: string; name: string }) {
    const ownerReferences = owner && [{ apiVersion: 'apps/v1', kind: 'Deployment', controller: true, ...owner }];
    const metadata = { name, ...(ownerReferences && { ownerReferences }) };
    const created = await cluster.clients.apps.v1
      .replicaSets('default')
      .create({ metadata, spec: { replicas, selector, template } });
    return { kind: 'ReplicaSet', name, uid: created.metadata.uid! };
  }
  async function createBudget(spec: Spec): Promise<void> {
    await budgets().create({ metadata: { name: 'b' }, spec: { selector, ...spec } });
    await cluster.settle();
  }
  const counts = async (): Promise<string> => {
    const { status } = await budgets().get('b');
    const { disruptionsAllowed, currentHealthy, desiredHealthy: desired, expectedPods, conditions } = status ?? {};
    const [condition] = conditions ?? [];
    return `${disruptionsAllowed} allowed, ${currentHealthy}/${desired} of ${expectedPods}: ${condition?.status} ${condition?.reason}`;
  };

  it('is compared with the replicas of the ReplicaSet', async () => {
    const owner = await createReplicaSet('rs', 4);
    for (const name of ['a', 'b', 'c']) await createPod(name, owner);
    await createBudget({ maxUnavailable: '50%' });
    expect(await counts()).toBe('1 allowed, 3/2 of 4: True SufficientPods');
    await setReady('a', false);
    expect(await counts()).toBe('0 allowed, 2/2 of 4: False InsufficientPods');
    await pods().delete('b', { gracePeriodSeconds: 0 });
    await cluster.settle();
    expect(await counts()).toBe('0 allowed, 1/2 of 4: False InsufficientPods');
    const { status, metadata } = await budgets().get('b');
    expect(status?.observedGeneration).toBe(metadata.generation);
    expect(await cluster.events()).toEqual([]);
    cluster.spy.requests.length = 0;
    await cluster.advance(600 * s, 100 * s);
    await pods().patch('a', 'merge', { metadata: { annotations: { x: 'y' } } });
    await cluster.settle();
    expect(cluster.spy.writes).toEqual([]);
  });

  it('counts a Deployment with several ReplicaSets once', async () => {
    const { metadata } = await cluster.clients.apps.v1
      .deployments('default')
      .create({ metadata: { name: 'd' }, spec: { replicas: 5, selector, template } });
    const deployment = { name: 'd', uid: metadata.uid! };
    for (const name of ['old', 'new']) await createPod(name, await createReplicaSet(name, 3, deployment));
    await createBudget({ minAvailable: '20%' });
    expect(await counts()).toBe('1 allowed, 2/1 of 5: True SufficientPods');
  });

  it('uses the scale subresource of custom controllers', async () => {
    const group = 'example.com';
    await cluster.clients.apiextensions.v1.customResourceDefinitions().create({
      metadata: { name: `fleets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'fleets', kind: 'Fleet' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
          },
        ],
      },
    });
    const path = `/apis/${group}/v1/namespaces/default/fleets`;
    const body = { apiVersion: `${group}/v1`, kind: 'Fleet', metadata: { name: 'f' }, spec: { replicas: 4 } };
    const fleet = await cluster.until(() =>
      cluster.rest.request<{ metadata: { uid: string } }>({ method: 'POST', path, body }).catch(() => undefined),
    );
    await createPod('a', { apiVersion: `${group}/v1`, kind: 'Fleet', name: 'f', uid: fleet.metadata.uid });
    await createBudget({ maxUnavailable: 3 });
    expect(await counts()).toBe('0 allowed, 1/1 of 4: False InsufficientPods');
  });

  it('with an integer counts the existing pods', async () => {
    await createPod('a');
    await createPod('b');
    await createBudget({ minAvailable: 1 });
    expect(await counts()).toBe('1 allowed, 2/1 of 2: True SufficientPods');
    expect(await cluster.events()).toEqual([]);
  });

  it('reports pods without a controller', async () => {
    await createPod('a');
    await createBudget({ maxUnavailable: 1 });
    expect(await counts()).toBe('0 allowed, 1/0 of 0: False InsufficientPods');
    expect(await cluster.events()).toEqual([
      'Warning UnmanagedPods PodDisruptionBudget/b: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });

  it('reports that no pods match', async () => {
    await createBudget({ minAvailable: 1 });
    expect(await counts()).toBe('0 allowed, 0/1 of 0: False InsufficientPods');
    expect(await cluster.events()).toEqual(['Normal NoPods PodDisruptionBudget/b: No matching pods found']);
  });

  it('allows no disruptions when the count fails', async () => {
    await createPod('a', { kind: 'ReplicaSet', name: 'gone', uid: 'none' });
    await createPod('b', { kind: 'ReplicaSet', name: 'gone', uid: 'none' });
    await createBudget({ maxUnavailable: 1 });
    const { status } = await budgets().get('b');
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [
        {
          status: 'False',
          reason: 'SyncFailed',
          message: expect.stringMatching(/^found no controllers for pod "[ab]"$/),
        },
      ],
    });
    expect((await cluster.events()).at(-1)).toMatch(
      /^Warning CalculateExpectedPodCountFailed PodDisruptionBudget\/b: Failed to calculate the number of expected pods: found no controllers for pod "[ab]"$/,
    );
  });

  it('reports a controller without a scale subresource', async () => {
    await createPod('a', { kind: 'DaemonSet', name: 'gone', uid: 'none' });
    await createBudget({ maxUnavailable: 1 });
    expect((await budgets().get('b')).status?.conditions).toMatchObject([
      { reason: 'SyncFailed', message: 'daemonsets.apps does not implement the scale subresource' },
    ]);
  });

  it('removes an eviction when the pod was not deleted in time', async () => {
    const owner = await createReplicaSet('rs', 2);
    for (const name of ['a', 'b']) await createPod(name, owner);
    await createBudget({ minAvailable: '50%' });
    expect(await counts()).toBe('1 allowed, 2/1 of 2: True SufficientPods');
    const granted = `${new Date(cluster.clock.now()).toISOString().slice(0, 19)}Z`;
    const status = { disruptedPods: { a: granted }, disruptionsAllowed: 0 };
    await budgets().patch('b', 'merge', { status }, { subresource: 'status' });
    await cluster.settle();
    expect(await counts()).toBe('0 allowed, 1/1 of 2: False InsufficientPods');
    await cluster.advance(120 * s);
    expect((await budgets().get('b')).status?.disruptedPods).toEqual({ a: granted });
    await cluster.advance(1 * s);
    expect(await counts()).toBe('1 allowed, 2/1 of 2: True SufficientPods');
    expect((await budgets().get('b')).status?.disruptedPods).toBeUndefined();
    expect(await cluster.events()).toEqual([
      "Warning NotDeleted Pod/a: Pod was expected by PDB default/default to be deleted but it wasn't",
    ]);
  });

  it('is chosen arbitrarily when several match a pod, and an event is recorded', async () => {
    await createBudget({ minAvailable: 1 });
    await budgets().create({ metadata: { name: 'c' }, spec: { selector, minAvailable: 1 } });
    await cluster.settle();
    await createPod('a');
    expect(await cluster.events()).toContainEqual(
      expect.stringMatching(
        /^Warning MultiplePodDisruptionBudgets Pod\/a: Pod "default"\/"a" matches multiple PodDisruptionBudgets. {2}Chose "[bc]" arbitrarily.$/,
      ),
    );
  });

  it('is updated in spite of conflicts, failures and a restart', async () => {
    let failures = 2;
    cluster.spy.plan = ({ method, url }) => {
      if (method !== 'PUT' || !url.includes('/poddisruptionbudgets/') || failures-- <= 0) return;
      if (failures > 0) throw newConflict(GroupResource.of('policy', 'poddisruptionbudgets'), 'b', new Error('no'));
      throw newInternalError(new Error('no'));
    };
    await createPod('a');
    await createBudget({ minAvailable: 1 });
    await cluster.advance(2 * s, 100);
    expect(await counts()).toBe('0 allowed, 1/1 of 1: False InsufficientPods');
    await cluster.stopControllers();
    await createPodQuietly('b');
    cluster.startControllers();
    await cluster.settle();
    expect(await counts()).toBe('1 allowed, 2/1 of 2: True SufficientPods');
  });
  async function createPodQuietly(name: string): Promise<void> {
    await pods().create({ metadata: { name, ...template.metadata }, spec: template.spec });
    const status = { conditions: [{ type: 'Ready', status: 'True' as const }] };
    await pods().patch(name, 'strategic-merge', { status }, { subresource: 'status' });
  }

  it('does not matter for stale DisruptionTarget conditions, which are reset', async () => {
    await createPod('a');
    await createPod('b');
    const time = `${new Date(cluster.clock.now()).toISOString().slice(0, 19)}Z`;
    const disrupt = (name: string, reason: string) => {
      const condition = { type: 'DisruptionTarget', status: 'True' as const, reason, lastTransitionTime: time };
      return pods().patch(name, 'strategic-merge', { status: { conditions: [condition] } }, { subresource: 'status' });
    };
    await disrupt('a', 'EvictionByEvictionAPI');
    await disrupt('b', 'TerminationByKubelet');
    await cluster.settle();
    const condition = async (name: string) =>
      (await pods().get(name)).status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
    await cluster.advance(119 * s);
    expect(await condition('a')).toMatchObject({ status: 'True' });
    await cluster.advance(1 * s);
    expect(await condition('a')).toEqual({
      type: 'DisruptionTarget',
      status: 'False',
      observedGeneration: 1,
      lastProbeTime: null,
      lastTransitionTime: `${new Date(cluster.clock.now()).toISOString().slice(0, 19)}Z`,
    });
    expect(await condition('b')).toMatchObject({ status: 'True' });
  });
});
