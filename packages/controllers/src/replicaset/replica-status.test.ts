import type { ReplicaSetStatus } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { podsToDelete } from './pods-to-delete.ts';
import { isSameStatus, replicaStatus } from './replica-status.ts';

const now = Date.parse('2026-01-01T00:01:00Z');

function podOf(name: string, { ready, node, labels = { app: 'web' } }: PodOptions = {}): Pod {
  return {
    metadata: { name, uid: name, labels, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: {
      phase: 'Running',
      ...(ready && { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ready }] }),
    },
  };
}
interface PodOptions {
  readonly ready?: string;
  readonly node?: string;
  readonly labels?: Record<string, string>;
}

const setOf = (replicas: number, status?: ReplicaSetStatus) => ({
  metadata: { name: 'web', generation: 3 },
  spec: { replicas, minReadySeconds: 30, template: { metadata: { labels: { app: 'web' } } } },
  ...(status && { status }),
});

describe('replicaStatus', () => {
  it('counts pods by their state', () => {
    const activePods = [
      podOf('a', { ready: '2026-01-01T00:00:30Z' }),
      podOf('b', { ready: '2026-01-01T00:00:31Z' }),
      podOf('c', { labels: { app: 'other' } }),
    ];
    expect(replicaStatus(setOf(3), { activePods, terminatingPods: 0, now })).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 0,
      observedGeneration: 3,
    });
  });

  it.each<[name: string, replicas: number, reason: string | undefined]>([
    ['too few pods', 2, 'FailedCreate'],
    ['too many pods', 0, 'FailedDelete'],
    ['enough pods', 1, undefined],
  ])('has the reason of a failure when there are %s', (_, replicas, reason) => {
    const status = replicaStatus(setOf(replicas), { activePods: [podOf('a')], failure: new Error('no'), now });
    expect(status.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        lastTransitionTime: '2026-01-01T00:01:00Z',
        ...(reason && { reason }),
        message: 'no',
      },
    ]);
  });

  it('keeps the first failure condition while it lasts, and other conditions always', () => {
    const other = { type: 'Other', status: 'True' };
    const failed = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'first' };
    const set = setOf(1, { replicas: 0, conditions: [failed, other] });
    const observed = { activePods: [], now };
    expect(replicaStatus(set, { ...observed, failure: new Error('second') }).conditions).toEqual([failed, other]);
    expect(replicaStatus(set, observed).conditions).toEqual([other]);
  });
});

describe('isSameStatus', () => {
  const status: ReplicaSetStatus = { replicas: 1, readyReplicas: 0, terminatingReplicas: 0, observedGeneration: 1 };
  it.each<[name: string, other: ReplicaSetStatus, expected: boolean]>([
    ['a zero is omitted', { replicas: 1, terminatingReplicas: 0, observedGeneration: 1 }, true],
    ['terminatingReplicas is omitted', { replicas: 1, observedGeneration: 1 }, false],
    ['a count differs', { ...status, replicas: 2 }, false],
    ['the generation differs', { ...status, observedGeneration: 2 }, false],
    ['a condition is added', { ...status, conditions: [{ type: 'A', status: 'True' }] }, false],
    ['conditions are empty', { ...status, conditions: [] }, true],
  ])('when %s', (_, other, expected) => {
    expect(isSameStatus(status, other)).toBe(expected);
  });
});

describe('podsToDelete', () => {
  const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name!);
  const ready = '2026-01-01T00:00:00Z';

  it('returns pods first whose node has more related pods', () => {
    const pods = [podOf('a', { ready, node: 'one' }), podOf('b', { ready, node: 'two' })];
    const related = [...pods, podOf('c', { node: 'two' })];
    expect(names(podsToDelete(pods, related, 1, now))).toEqual(['b']);
    expect(names(podsToDelete(pods.toReversed(), related, 1, now))).toEqual(['b']);
  });

  it('does not count terminated related pods', () => {
    const pods = [podOf('a', { ready, node: 'one' }), podOf('b', { ready, node: 'two' })];
    const ended: Pod = { ...podOf('c', { node: 'two' }), status: { phase: 'Succeeded' } };
    const related = [...pods, ended, podOf('d', { node: 'one' })];
    expect(names(podsToDelete(pods, related, 1, now))).toEqual(['a']);
  });

  it('returns the same array when all pods are to be deleted', () => {
    const pods = [podOf('a'), podOf('b')];
    expect(podsToDelete(pods, [], 2, now)).toBe(pods);
  });
});
