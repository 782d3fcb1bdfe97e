import type { Pod } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodMetrics } from './metrics-client.ts';
import { groupPods } from './pod-groups.ts';
import { requestsOf } from './pod-requests.ts';
import {
  averageTarget,
  replicasForPods,
  replicasForValue,
  replicasForValuePerPod,
  utilizationTarget,
} from './replica-count.ts';

const tolerances = { scaleUp: 0.1, scaleDown: 0.1 };
const rules = { cpuInitializationPeriodMs: 120_000, initialReadinessDelayMs: 10_000 };
const now = 1_000_000;
const at = (ms: number): string => new Date(ms).toISOString();

const metricsOf = (values: readonly (number | undefined)[]): PodMetrics =>
  new Map(
    values.flatMap((value, i) =>
      value === undefined ? [] : [[`p${i}`, { value: BigInt(value), timestamp: now, windowMs: 60_000 }]],
    ),
  );
const none = { unready: [], missing: [], ignored: [] };

describe('replicasForPods with an average value', () => {
  const propose = (values: (number | undefined)[], target: number, groups = {}, current = values.length) =>
    replicasForPods(
      metricsOf(values),
      { ...none, ready: values.filter((value) => value !== undefined).length, ...groups },
      current,
      averageTarget(BigInt(target)),
      tolerances,
    );

  it.each([
    ['scales up with more usage', [20_000, 10_000, 30_000], 15_000, {}, 4, 20_000n],
    ['scales down with less usage', [12_000, 12_000, 12_000, 12_000, 12_000], 20_000, {}, 3, 12_000n],
    ['does not scale within the tolerance', [20_000, 21_000, 21_000], 20_000, {}, 3, 20_666n],
    [
      'counts unready pods as idle when scaling up',
      [50_000, 15_000, 30_000],
      15_000,
      { ready: 1, unready: ['p0', 'p1'] },
      3,
      30_000n,
    ],
    [
      'counts missing pods as idle when scaling up',
      [30_000, 30_000, undefined],
      15_000,
      { missing: ['p2'] },
      4,
      30_000n,
    ],
    [
      'counts missing pods as busy when scaling down',
      [10_000, 10_000, undefined, undefined],
      20_000,
      { missing: ['p2', 'p3'] },
      3,
      10_000n,
    ],
    [
      'does not scale with too many missing pods',
      [18_000, undefined, undefined],
      15_000,
      { missing: ['p1', 'p2'] },
      3,
      18_000n,
    ],
    ['ignores pods that are being deleted', [10_000, 90_000], 10_000, { ready: 1, ignored: ['p1'] }, 2, 10_000n],
  ] as const)('%s', (_, values, target, groups, replicas, average) => {
    const proposal = propose([...values], target, groups);
    expect([proposal.replicas, proposal.usage.average]).toEqual([replicas, average]);
  });

  it('throws without metrics', () => {
    expect(() => propose([10], 10, { ready: 0, unready: ['p0'] })).toThrow(
      'did not receive metrics for targeted pods (pods might be unready)',
    );
  });

  it('never scales in the wrong direction because of missing values', () => {
    const value = fc.option(fc.nat(100_000), { nil: undefined });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 50_000 }),
        (values, target) => {
          const known = values.filter((one) => one !== undefined);
          fc.pre(known.length > 0 && known.length < values.length);
          const missing = values.flatMap((one, i) => (one === undefined ? [`p${i}`] : []));
          const { replicas, usage } = propose(values, target, { missing });
          if (usage.ratio < 1) expect(replicas).toBeLessThanOrEqual(values.length);
          if (usage.ratio > 1) expect(replicas).toBeGreaterThanOrEqual(values.length);
        },
      ),
    );
  });
});

describe('replicasForPods with a utilization', () => {
  const requests = new Map([0, 1, 2, 3].map((i) => [`p${i}`, 1000n]));
  const propose = (values: (number | undefined)[], target: number, missing: string[] = []) =>
    replicasForPods(
      metricsOf(values),
      { ...none, ready: values.length - missing.length, missing },
      values.length,
      utilizationTarget(target, requests),
      tolerances,
    );
  it.each([
    ['scales up', [300, 500, 700], 30, [], 5, 50],
    ['scales down', [100, 300, 500], 50, [], 2, 30],
    ['handles missing pods with a target above 100 percent', [400, 400, undefined], 150, ['p2'], 2, 40],
  ] as const)('%s', (_, values, target, missing, replicas, utilization) => {
    const proposal = propose([...values], target, [...missing]);
    expect([proposal.replicas, proposal.usage.utilization]).toEqual([replicas, utilization]);
  });
  it('throws when no metrics match known pods', () => {
    const target = utilizationTarget(50, new Map([['other', 1n]]));
    expect(() => replicasForPods(metricsOf([1]), { ...none, ready: 1 }, 1, target, tolerances)).toThrow(
      'no metrics returned matched known pods',
    );
  });
});

describe('replicasForValue and replicasForValuePerPod', () => {
  it.each([
    [20n, 10n, 3, 3, 6],
    [10n, 10n, 3, 1, 3],
    [11n, 10n, 3, 1, 3],
    [5n, 10n, 4, 4, 2],
    [5n, 10n, 0, 0, 1],
    [2n ** 62n, 1n, 3, 3, 2 ** 31 - 1],
  ])('%s of %s', (value, target, current, ready, replicas) => {
    expect(replicasForValue(value, target, current, tolerances, () => ready)).toBe(replicas);
  });
  it.each([
    [8600n, 2150n, 4, 4, 2150n],
    [8600n, 2150n, 3, 4, 2867n],
    [6000n, 3000n, 4, 2, 1500n],
    [6000n, 3000n, 0, 2, 2n ** 63n - 1n],
  ])('%s, %s for each of %i', (value, target, current, replicas, average) => {
    expect(replicasForValuePerPod(value, target, current, tolerances)).toEqual({ replicas, average });
  });
});

describe('groupPods', () => {
  const pod = (over: Pod['status'] = {}, metadata: Pod['metadata'] = {}): Pod => ({
    metadata: { name: 'p0', ...metadata },
    status: {
      phase: 'Running',
      startTime: at(now - 60_000),
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(now - 60_000) }],
      ...over,
    },
  });
  const ready = (status: 'True' | 'False', ms: number) => ({
    conditions: [{ type: 'Ready', status, lastTransitionTime: at(ms) }],
  });
  const old = { startTime: at(now - 300_000) };
  it.each([
    ['a running pod', pod(), 'ready'],
    ['a failed pod', pod({ phase: 'Failed' }), 'ignored'],
    ['a pod that is being deleted', pod({}, { deletionTimestamp: at(0) }), 'ignored'],
    ['a pending pod', pod({ phase: 'Pending' }), 'unready'],
    ['a pod without Ready condition', pod({ conditions: [] }), 'unready'],
    ['a pod that is not ready yet', pod(ready('False', now)), 'unready'],
    ['a pod measured before it was ready', pod(ready('True', now - 30_000)), 'unready'],
    ['an old pod that was never ready', pod({ ...old, ...ready('False', now - 295_000) }), 'unready'],
    ['an old pod that was ready once', pod({ ...old, ...ready('False', now - 200_000) }), 'ready'],
  ] as const)('%s', (_, one, group) => {
    const groups = groupPods([one], metricsOf([5]), true, rules, now);
    const expected = { ready: 0, unready: [], missing: [], ignored: [] };
    expect(groups).toEqual({ ...expected, [group]: group === 'ready' ? 1 : ['p0'] });
  });
  it('a pod without metrics is missing', () => {
    expect(groupPods([pod()], new Map(), true, rules, now).missing).toEqual(['p0']);
  });
  it('all running pods are ready for other metrics than CPU', () => {
    expect(groupPods([pod({ conditions: [] })], metricsOf([5]), false, rules, now).ready).toBe(1);
  });
});

describe('requestsOf', () => {
  const container = (name: string, cpu?: string) => ({
    name,
    image: 'i',
    ...(cpu && { resources: { requests: { cpu } } }),
  });
  const pod = (spec: Partial<Pod['spec']>): Pod => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } });
  it.each([
    ['all containers', pod({ containers: [container('a', '1'), container('b', '500m')] }), '', 1500n],
    ['one container', pod({ containers: [container('a', '1'), container('b', '500m')] }), 'b', 500n],
    [
      'sidecars too',
      pod({
        containers: [container('a', '1')],
        initContainers: [container('i', '9'), { ...container('s', '2'), restartPolicy: 'Always' }],
      }),
      '',
      3000n,
    ],
    ['the pod as a whole', pod({ containers: [container('a')], resources: { requests: { cpu: '3' } } }), '', 3000n],
  ] as const)('%s', (_, one, name, request) => expect(requestsOf([one], 'cpu', name).get('p')).toBe(request));
  it.each([
    [
      'no request',
      pod({ containers: [container('a', '1'), container('b')] }),
      '',
      'missing request for cpu in container b of Pod p',
    ],
    ['no such container', pod({ containers: [container('a', '1')] }), 'x', 'container x not found in Pod p'],
    [
      'no request at pod level',
      pod({ containers: [container('a')], resources: { requests: { memory: '1Gi' } } }),
      '',
      'missing pod-level request for cpu in Pod p',
    ],
  ] as const)('%s', (_, one, name, message) => expect(() => requestsOf([one], 'cpu', name)).toThrow(message));
});
