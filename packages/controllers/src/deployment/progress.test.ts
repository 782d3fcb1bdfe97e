import type { DeploymentCondition, DeploymentStatus } from '@coxswain/api/apps/v1';
import { describe, expect, it } from 'vitest';
import { deploymentOf, setOf } from './deployment.test-data.ts';
import { hasProgressed, progressCheckInMs, rolloutStatus } from './progress.ts';
import { deploymentStatus, isSameStatus } from './status.ts';

const time = '2026-01-01T00:00:00Z';
const now = Date.parse(time);
const progressing = (status: string, reason: string, agoSeconds = 0): DeploymentCondition => {
  const at = new Date(now - agoSeconds * 1000).toISOString().replace('.000', '');
  return { type: 'Progressing', status, reason, message: '', lastUpdateTime: at, lastTransitionTime: at };
};

describe('hasProgressed', () => {
  const before: DeploymentStatus = { replicas: 5, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 3 };
  it.each<[what: string, after: DeploymentStatus, expected: boolean]>([
    ['nothing changes', {}, false],
    ['updatedReplicas increases', { updatedReplicas: 3 }, true],
    ['there are fewer old pods', { replicas: 4 }, true],
    ['there are more old pods', { replicas: 6 }, false],
    ['more pods are ready', { readyReplicas: 4 }, true],
    ['more pods are available', { availableReplicas: 4 }, true],
    ['fewer pods are available', { availableReplicas: 2, readyReplicas: 2 }, false],
  ])('when %s', (_, after, expected) => {
    expect(hasProgressed(before, { ...before, ...after })).toBe(expected);
  });
});

describe('the progress deadline', () => {
  const reasonAfter = (before: DeploymentCondition, seconds = 600): string | undefined => {
    const status = { replicas: 4, updatedReplicas: 2, observedGeneration: 1, conditions: [before] };
    const deployment = deploymentOf({ progressDeadlineSeconds: seconds }, status);
    const after = rolloutStatus(deployment, setOf('new', 4), [], { status, now, time });
    return after.conditions?.find(({ type }) => type === 'Progressing')?.reason;
  };

  it.each<[name: string, before: DeploymentCondition, expected: string]>([
    ['not reached', progressing('True', 'ReplicaSetUpdated', 600), 'ReplicaSetUpdated'],
    ['exceeded', progressing('True', 'ReplicaSetUpdated', 601), 'ProgressDeadlineExceeded'],
    ['already exceeded', progressing('False', 'ProgressDeadlineExceeded', 0), 'ProgressDeadlineExceeded'],
    ['exceeded after a pause', progressing('Unknown', 'DeploymentResumed', 601), 'ProgressDeadlineExceeded'],
    ['ignored after a complete rollout', progressing('True', 'NewReplicaSetAvailable', 9999), 'NewReplicaSetAvailable'],
  ])('is %s', (_, before, expected) => {
    expect(reasonAfter(before)).toBe(expected);
  });

  it.each<[name: string, before: DeploymentCondition | undefined, expected: number | undefined]>([
    ['one second after it', progressing('True', 'ReplicaSetUpdated', 100), 501_000],
    ['soon when it has passed', progressing('True', 'ReplicaSetUpdated', 700), 1000],
    ['never once it was exceeded', progressing('False', 'ProgressDeadlineExceeded', 100), undefined],
    ['never after the rollout', progressing('True', 'NewReplicaSetAvailable', 100), undefined],
    ['never without a condition', undefined, undefined],
  ])('is checked %s', (_, before, expected) => {
    const status = { replicas: 4, ...(before && { conditions: [before] }) };
    expect(progressCheckInMs(deploymentOf({}, status), status, now)).toBe(expected);
  });
});

describe('rolloutStatus', () => {
  it('reports a failure of the new ReplicaSet before those of others, and removes the condition without a failure', () => {
    const failing = (name: string) => ({
      ...setOf(name, 1),
      status: {
        replicas: 0,
        conditions: [
          { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: name, lastTransitionTime: time },
        ],
      },
    });
    const deployment = deploymentOf();
    const failureOf = (...[newSet, ...oldSets]: [ReturnType<typeof setOf>, ...ReturnType<typeof setOf>[]]) => {
      const status = deploymentStatus(deployment, newSet, oldSets, time);
      const { conditions } = rolloutStatus(deployment, newSet, oldSets, { status, now, time });
      return conditions?.find(({ type }) => type === 'ReplicaFailure')?.message;
    };
    expect(failureOf(failing('new'), failing('old'))).toBe('new');
    expect(failureOf(setOf('new', 1), failing('old'))).toBe('old');
    expect(failureOf(setOf('new', 1), setOf('old', 1))).toBeUndefined();
  });
});

describe('deploymentStatus', () => {
  it('has no terminatingReplicas when one of the ReplicaSets has none', () => {
    const says = { ...setOf('a', 1), status: { replicas: 1, terminatingReplicas: 2, observedGeneration: 1 } };
    const isNew = { ...setOf('b', 1), status: { replicas: 0 } };
    const terminating = (...sets: ReturnType<typeof setOf>[]) =>
      deploymentStatus(deploymentOf(), undefined, sets, time).terminatingReplicas;
    expect(terminating(says, isNew)).toBe(2);
    expect(terminating(says, setOf('c', 1))).toBeUndefined();
  });

  it('treats absent counts as zero, except for terminatingReplicas', () => {
    expect(isSameStatus({ replicas: 0, observedGeneration: 1 }, { observedGeneration: 1 })).toBe(true);
    expect(isSameStatus(undefined, {})).toBe(true);
    expect(isSameStatus({ terminatingReplicas: 0 }, {})).toBe(false);
    expect(isSameStatus({ replicas: 1 }, {})).toBe(false);
  });
});
