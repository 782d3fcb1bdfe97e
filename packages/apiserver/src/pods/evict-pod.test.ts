import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@coxswain/api/policy/v1';
import { type DeleteOptions, GroupResource, newConflict, toStatus } from '@coxswain/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster } from '../services/fake-cluster.test-data.ts';
import { type EvictionRequest, evictPod } from './evict-pod.ts';

let cluster: FakeCluster;
let deletions: DeleteOptions[];
let pauses: number[];
let deletePod: (options: DeleteOptions) => Promise<void>;

const target = {
  type: 'DisruptionTarget',
  status: 'True',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

const putPod = (status: Pod['status'], metadata: Pod['metadata'] = {}): Pod =>
  cluster.put<Pod>('', 'pods', {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p1', namespace: 'test', labels: { app: 'x' }, ...metadata },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    status,
  });

const ready: PodStatus = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const unready: PodStatus = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

const putBudget = (
  status: Partial<PodDisruptionBudgetStatus>,
  spec: PodDisruptionBudget['spec'] = {},
  name = 'b1',
): PodDisruptionBudget =>
  cluster.put<PodDisruptionBudget>('policy', 'poddisruptionbudgets', {
    kind: 'PodDisruptionBudget',
    apiVersion: 'policy/v1',
    metadata: { name, namespace: 'test', generation: 1 },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } }, ...spec },
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      ...status,
    } as PodDisruptionBudgetStatus,
  });

const evict = (deleteOptions?: DeleteOptions, more: Partial<EvictionRequest> = {}): Promise<void> =>
  evictPod(
    {
      client: cluster,
      budgets: cluster.lister('policy', 'poddisruptionbudgets'),
      deletePod: (_namespace, _name, options) => deletePod(options),
      now: () => cluster.now,
      pause: async (ms) => {
        pauses.push(ms);
      },
    },
    {
      namespace: 'test',
      name: 'p1',
      eviction: { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'p1' }, deleteOptions },
      ...more,
    },
  );

/** Returns code, message and details of the response. */
const answer = async (attempt: Promise<void>): Promise<unknown> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!error) return 'success';
  const { code, reason, message, details } = toStatus(error);
  return { code, ...(reason && { reason }), message, ...(details && { details }) };
};

const refused = (message: string, retryAfterSeconds?: number) => ({
  code: 429,
  reason: 'TooManyRequests',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: { causes: [{ reason: 'DisruptionBudget', message }], ...(retryAfterSeconds && { retryAfterSeconds }) },
});

const podStatus = () => cluster.lister<Pod>('', 'pods').get('test', 'p1')?.status;
const budgetStatus = () =>
  cluster.lister<PodDisruptionBudget>('policy', 'poddisruptionbudgets').get('test', 'b1')?.status;

beforeEach(() => {
  cluster = new FakeCluster();
  deletions = [];
  pauses = [];
  deletePod = async (options) => {
    deletions.push(options);
  };
});

describe('an eviction', () => {
  it('of a pod without a budget deletes it, with a DisruptionTarget condition', async () => {
    putPod(ready);
    expect(await answer(evict({ gracePeriodSeconds: 5 }))).toBe('success');
    expect(deletions).toEqual([{ gracePeriodSeconds: 5, dryRun: [] }]);
    expect(podStatus()?.conditions).toEqual([{ type: 'Ready', status: 'True' }, target]);
  });

  it.each<[string, Partial<EvictionRequest>, DeleteOptions | undefined, unknown]>([
    [
      'for another name',
      { name: 'other' },
      undefined,
      { code: 400, reason: 'BadRequest', message: 'name in URL does not match name in Eviction object' },
    ],
    [
      'with an option that is not for pods',
      {},
      { ignoreStoreReadErrorWithClusterBreakingPotential: true },
      {
        code: 422,
        reason: 'Invalid',
        message:
          'Eviction.policy "p1" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
        details: {
          name: 'p1',
          group: 'policy',
          kind: 'Eviction',
          causes: [
            {
              reason: 'FieldValueInvalid',
              message: 'Invalid value: true: can not be set for pod eviction, try after removing the option',
              field: 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential',
            },
          ],
        },
      },
    ],
    [
      'with two different dry run options',
      { dryRun: ['All'] },
      { dryRun: ['Foo'] },
      {
        code: 400,
        message: 'Non-matching dry-run options in request and content: [All] and [Foo]',
      },
    ],
    [
      'of a pod that does not exist',
      {},
      undefined,
      { code: 404, reason: 'NotFound', message: 'pods "p1" not found', details: { name: 'p1', kind: 'pods' } },
    ],
  ])('%s is refused', async (_, request, options, expected) => {
    expect(await answer(evict(options, request))).toEqual(expected);
    expect(deletions).toEqual([]);
  });

  it.each<[string, Partial<PodDisruptionBudgetStatus>, unknown]>([
    [
      'was not processed yet',
      { observedGeneration: 0, disruptionsAllowed: 1 },
      refused('The disruption budget b1 is still being processed by the server.', 10),
    ],
    [
      'needs all its pods',
      { currentHealthy: 1, desiredHealthy: 1 },
      refused('The disruption budget b1 needs 1 healthy pods and has 1 currently'),
    ],
    [
      'allows none without a reason',
      { currentHealthy: 2, desiredHealthy: 1 },
      refused('The disruption budget b1 does not allow evicting pods currently'),
    ],
    [
      'failed to sync',
      {
        conditions: [
          { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'boom', lastTransitionTime: '' },
        ],
      },
      refused('The disruption budget b1 does not allow evicting pods currently because it failed sync: boom'),
    ],
    [
      'allows none with a reason',
      {
        currentHealthy: 2,
        desiredHealthy: 1,
        conditions: [
          { type: 'DisruptionAllowed', status: 'False', reason: 'Other', message: 'why', lastTransitionTime: '' },
        ],
      },
      refused('The disruption budget b1 does not allow evicting pods currently (Other): why'),
    ],
    [
      'is negative',
      { disruptionsAllowed: -1 },
      {
        code: 403,
        reason: 'Forbidden',
        message: 'poddisruptionbudget.policy "b1" is forbidden: pdb disruptions allowed is negative',
        details: { name: 'b1', group: 'policy', kind: 'poddisruptionbudget' },
      },
    ],
    [
      'has too many unconfirmed evictions',
      {
        disruptionsAllowed: 1,
        disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, ''])),
      },
      {
        code: 403,
        reason: 'Forbidden',
        message:
          'poddisruptionbudget.policy "b1" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
        details: { name: 'b1', group: 'policy', kind: 'poddisruptionbudget' },
      },
    ],
  ])('is refused when the budget %s', async (_, status, expected) => {
    putPod(ready);
    putBudget(status);
    expect(await answer(evict())).toEqual(expected);
    expect([deletions, podStatus()]).toEqual([[], ready]);
  });

  it('is refused when two budgets select the pod, but ignores budgets of other pods', async () => {
    putPod(ready);
    putBudget({ disruptionsAllowed: 1 });
    putBudget({ disruptionsAllowed: 1 }, { selector: { matchLabels: { app: 'y' } } }, 'b0');
    putBudget({ disruptionsAllowed: 1 }, { selector: {} }, 'b2');
    expect(await answer(evict())).toEqual({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
    await cluster.delete('policy', 'poddisruptionbudgets', 'test', 'b2');
    expect(await answer(evict())).toBe('success');
  });

  it('decrements the allowed disruptions', async () => {
    putPod(ready);
    putBudget({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    expect(await answer(evict())).toBe('success');
    expect(budgetStatus()).toEqual({
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 2,
      desiredHealthy: 1,
      disruptedPods: { p1: '2026-01-02T03:04:05Z' },
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'InsufficientPods',
          message: '',
        },
      ],
    });
    expect(deletions).toHaveLength(1);
  });

  it('retries the budget after a conflict, and is refused when it was used up meanwhile', async () => {
    putPod(ready);
    putBudget({ disruptionsAllowed: 5, currentHealthy: 2, desiredHealthy: 1 });
    let conflicts = 2;
    cluster.fail = (write) => {
      if (!write.startsWith('update poddisruptionbudgets') || conflicts-- === 0) return undefined;
      if (conflicts === 0) putBudget({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 1 });
      return newConflict(GroupResource.of('policy', 'poddisruptionbudgets'), 'b1', 'changed');
    };
    expect(await answer(evict())).toEqual(refused('The disruption budget b1 does not allow evicting pods currently'));
    expect(pauses).toEqual([500, 500]);
  });

  it('never exceeds the budget, even with concurrent evictions', async () => {
    putPod(ready);
    putBudget({ disruptionsAllowed: 3, currentHealthy: 9, desiredHealthy: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => answer(evict())));
    expect(answers.filter((one) => one === 'success')).toHaveLength(3);
    expect(budgetStatus()?.disruptionsAllowed).toBe(0);
  });

  it.each([
    ['has succeeded', { phase: 'Succeeded' as const }, {}, undefined],
    ['has failed', { phase: 'Failed' as const }, {}, undefined],
    ['is being deleted', ready, { deletionTimestamp: '2026-01-01T00:00:00Z' }, undefined],
    ['is pending', { phase: 'Pending' as const }, {}, 'its own'],
  ])('ignores the budget for a pod that %s', async (_, status, metadata, version) => {
    const pod = putPod(status, metadata);
    putBudget({});
    expect(await answer(evict())).toBe('success');
    const resourceVersion = cluster.lister('', 'pods').get('test', 'p1')?.metadata?.resourceVersion;
    expect(resourceVersion).not.toBe(pod.metadata.resourceVersion);
    expect(deletions).toEqual([{ dryRun: [], ...(version && { preconditions: { resourceVersion } }) }]);
  });

  it('is retried when a pending pod changes', async () => {
    putPod({ phase: 'Pending' });
    let conflicts = 3;
    deletePod = async (options) => {
      if (conflicts-- > 0) throw newConflict(GroupResource.of('', 'pods'), 'p1', 'changed');
      deletions.push(options);
    };
    expect(await answer(evict())).toBe('success');
    expect(pauses).toEqual([500, 500, 500]);
  });

  it('fails after twenty attempts', async () => {
    putPod({ phase: 'Pending' });
    deletePod = async () => {
      throw newConflict(GroupResource.of('', 'pods'), 'p1', 'changed');
    };
    expect(await answer(evict())).toMatchObject({ code: 409 });
    expect(pauses).toHaveLength(19);
  });

  it.each([
    ['is allowed when enough pods are healthy', { currentHealthy: 1, desiredHealthy: 1 }, undefined, 'success'],
    [
      'is refused when not enough pods are healthy',
      { currentHealthy: 0, desiredHealthy: 1 },
      undefined,
      refused('The disruption budget b1 needs 1 healthy pods and has 0 currently'),
    ],
    [
      'is refused when the desired number is not known',
      {},
      'IfHealthyBudget' as const,
      refused('The disruption budget b1 needs 0 healthy pods and has 0 currently'),
    ],
    [
      'is always allowed with policy AlwaysAllow',
      { currentHealthy: 0, desiredHealthy: 1 },
      'AlwaysAllow' as const,
      'success',
    ],
  ])('of a pod that is not ready %s', async (_, status, unhealthyPodEvictionPolicy, expected) => {
    putPod(unready);
    putBudget(status, { unhealthyPodEvictionPolicy });
    expect(await answer(evict())).toEqual(expected);
    expect(budgetStatus()?.disruptedPods).toBeUndefined();
    expect(deletions.map(({ preconditions }) => preconditions?.resourceVersion !== undefined)).toEqual(
      expected === 'success' ? [true] : [],
    );
  });

  it('of a pod that is not ready gets a 429 when the pod changes meanwhile', async () => {
    putPod(unready);
    putBudget({ currentHealthy: 1, desiredHealthy: 1 });
    deletePod = async () => {
      throw newConflict(GroupResource.of('', 'pods'), 'p1', 'changed');
    };
    expect(await answer(evict())).toEqual(
      refused('The disruption budget b1 is still being processed by the server.', 10),
    );
  });

  it.each([{ dryRun: ['All'] }, {}])('that is a dry run changes nothing %#', async (request) => {
    putPod(ready);
    putBudget({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    cluster.writes.length = 0;
    expect(await answer(evict(request.dryRun ? undefined : { dryRun: ['All'] }, request))).toBe('success');
    expect([deletions, cluster.writes]).toEqual([[{ dryRun: ['All'] }], []]);
  });

  it.each([
    [
      { uid: 'abc' },
      'Operation cannot be fulfilled on Pod "p1": the UID in the precondition (abc) does not match the UID in record (uid-0). The object might have been deleted and then recreated',
    ],
    [
      { resourceVersion: '77' },
      'Operation cannot be fulfilled on Pod "p1": the ResourceVersion in the precondition (77) does not match the ResourceVersion in record (1). The object might have been modified',
    ],
  ])('with preconditions %j is refused when they do not hold', async (preconditions, message) => {
    putPod(ready);
    expect(await answer(evict({ preconditions }))).toEqual({
      code: 409,
      reason: 'Conflict',
      message,
      details: { name: 'p1', kind: 'Pod' },
    });
    expect(deletions).toEqual([]);
  });

  it('runs admission before anything else', async () => {
    putPod(ready);
    const validate = async () => {
      throw new Error('no');
    };
    await expect(evict(undefined, { validate })).rejects.toThrow('no');
    expect([deletions, podStatus()]).toEqual([[], ready]);
  });
});
