import type { PodFailurePolicyRule, SuccessPolicyRule } from '@coxswain/api/batch/v1';
import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { IndexIntervals } from './index-intervals.ts';
import { failureVerdict } from './pod-failure-policy.ts';
import { metSuccessPolicy } from './success-policy.ts';

const ended = (name: string, exitCode: number) => ({
  name,
  ready: false,
  restartCount: 0,
  image: '',
  imageID: '',
  state: { terminated: { exitCode } },
});
const failedPod = (status: PodStatus): Pod => ({
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [] },
  status: { phase: 'Failed', ...status },
});
const disrupted = { type: 'DisruptionTarget', status: 'True' };

describe('pod failure policy', () => {
  it.each<{ name: string; rules: PodFailurePolicyRule[]; status: PodStatus; verdict: object }>([
    {
      name: 'counts a failure that no rule matches',
      rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [2] } }],
      status: { containerStatuses: [ended('main', 1)] },
      verdict: { counts: true },
    },
    {
      name: 'ignores an exit code',
      rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1, 2] } }],
      status: { containerStatuses: [ended('main', 2)] },
      verdict: { action: 'Ignore', counts: false },
    },
    {
      name: 'does not match a container with exit code 0',
      rules: [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [1] } }],
      status: { containerStatuses: [ended('main', 0)] },
      verdict: { counts: true },
    },
    {
      name: 'does not match a running container',
      rules: [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [1] } }],
      status: { containerStatuses: [{ ...ended('main', 3), state: { running: {} } }] },
      verdict: { counts: true },
    },
    {
      name: 'matches the named container',
      rules: [
        { action: 'FailIndex', onExitCodes: { containerName: 'other', operator: 'In', values: [3] } },
        { action: 'Count', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [1] } },
      ],
      status: { containerStatuses: [ended('main', 3)] },
      verdict: { action: 'Count', counts: true },
    },
    {
      name: 'fails the index',
      rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [3] } }],
      status: { containerStatuses: [ended('main', 3)] },
      verdict: { action: 'FailIndex', counts: true },
    },
    {
      name: 'fails the Job by the exit code of an init container',
      rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [5] } }],
      status: { containerStatuses: [], initContainerStatuses: [ended('setup', 5)] },
      verdict: {
        action: 'FailJob',
        counts: true,
        failsJob: 'Container setup for pod ns/p failed with exit code 5 matching FailJob rule at index 0',
      },
    },
    {
      name: 'fails the Job by a condition',
      rules: [
        { action: 'Ignore', onExitCodes: { operator: 'In', values: [9] } },
        { action: 'FailJob', onPodConditions: [{ type: 'ConfigIssue', status: 'True' }, disrupted] },
      ],
      status: { conditions: [{ type: 'Ready', status: 'False' }, disrupted] },
      verdict: {
        action: 'FailJob',
        counts: true,
        failsJob: 'Pod ns/p has condition DisruptionTarget matching FailJob rule at index 1',
      },
    },
    {
      name: 'compares the status of a condition',
      rules: [{ action: 'Ignore', onPodConditions: [disrupted] }],
      status: { conditions: [{ ...disrupted, status: 'False' }] },
      verdict: { counts: true },
    },
    {
      name: 'uses the first matching rule',
      rules: [
        { action: 'Ignore', onPodConditions: [disrupted] },
        { action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } },
      ],
      status: { conditions: [disrupted], containerStatuses: [ended('main', 1)] },
      verdict: { action: 'Ignore', counts: false },
    },
  ])('$name', ({ rules, status, verdict }) => {
    expect(failureVerdict({ rules }, failedPod(status))).toEqual(verdict);
  });

  it('counts every failure without a policy', () => {
    expect(failureVerdict(undefined, failedPod({}))).toEqual({ counts: true });
  });
});

describe('success policy', () => {
  it.each<{ name: string; rules: SuccessPolicyRule[]; succeeded: number[]; met?: number }>([
    { name: 'no index has succeeded', rules: [{ succeededCount: 0 }], succeeded: [] },
    { name: 'enough succeeded indexes', rules: [{ succeededCount: 2 }], succeeded: [4, 7], met: 0 },
    { name: 'too few succeeded indexes', rules: [{ succeededCount: 3 }], succeeded: [4, 7] },
    { name: 'all named indexes', rules: [{ succeededIndexes: '1,4-6' }], succeeded: [1, 3, 4, 5, 6], met: 0 },
    { name: 'not all named indexes', rules: [{ succeededIndexes: '1,4-6' }], succeeded: [1, 4, 6, 7] },
    {
      name: 'enough of the named indexes',
      rules: [{ succeededIndexes: '0,4-6', succeededCount: 2 }],
      succeeded: [4, 6],
      met: 0,
    },
    {
      name: 'too few of the named indexes',
      rules: [{ succeededIndexes: '0,4-6', succeededCount: 2 }],
      succeeded: [3, 6],
    },
    { name: 'named indexes that the Job does not have', rules: [{ succeededIndexes: '12' }], succeeded: [1] },
    { name: 'the second rule', rules: [{ succeededIndexes: '0' }, { succeededCount: 1 }], succeeded: [1], met: 1 },
  ])('$name', ({ rules, succeeded, met }) => {
    const message = metSuccessPolicy({ rules }, 10, IndexIntervals.of(succeeded));
    expect(message).toBe(met === undefined ? undefined : `Matched rules at index ${met}`);
  });

  it('is never met without a policy', () => {
    expect(metSuccessPolicy(undefined, 10, IndexIntervals.of([1]))).toBeUndefined();
  });
});
