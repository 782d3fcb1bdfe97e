import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import type { ObjectMeta } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { backoffAfter, finishTime, noFailures, remainingBackoffMs } from './backoff.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const ms = (seconds: number): number => Date.parse(at(seconds));
const ended = (name: string, seconds: number) => ({
  name,
  ready: false,
  restartCount: 0,
  image: '',
  imageID: '',
  state: { terminated: { exitCode: 1, finishedAt: at(seconds) } },
});
const podOf = (status: PodStatus, metadata: ObjectMeta = {}): Pod => ({
  metadata: { creationTimestamp: at(0), ...metadata },
  spec: { containers: [], initContainers: [{ name: 'sidecar', restartPolicy: 'Always' }, { name: 'setup' }] },
  status,
});
const endedAt = (seconds: number): Pod => podOf({ containerStatuses: [ended('main', seconds)] });

describe('finishTime', () => {
  const unready = { type: 'Ready', status: 'False', lastTransitionTime: at(20) };
  it.each<[name: string, pod: Pod, seconds: number]>([
    ['its last container to end', podOf({ containerStatuses: [ended('a', 5), ended('b', 9), ended('c', 7)] }), 9],
    ['its sidecar', podOf({ containerStatuses: [ended('a', 5)], initContainerStatuses: [ended('sidecar', 8)] }), 8],
    [
      'its containers, not its init containers',
      podOf({ containerStatuses: [ended('a', 5)], initContainerStatuses: [ended('setup', 8)] }),
      5,
    ],
    [
      'the end of its readiness, while a container runs',
      podOf({
        containerStatuses: [ended('a', 5), { ...ended('b', 0), state: { running: {} } }],
        conditions: [unready],
      }),
      20,
    ],
    [
      'the start of its deletion',
      podOf(
        { conditions: [{ ...unready, status: 'True' }] },
        { deletionTimestamp: at(70), deletionGracePeriodSeconds: 30 },
      ),
      40,
    ],
    ['its creation', podOf({}), 0],
  ])('is that of %s', (_, pod, seconds) => {
    expect(finishTime(pod)).toBe(ms(seconds));
  });
});

describe('backoff', () => {
  const two = { failures: 2, lastFailureMs: ms(5) };
  it.each<[name: string, succeeded: number[], failed: number[], after: object]>([
    ['no pod ended', [], [], two],
    ['more failed', [], [9, 7], { failures: 4, lastFailureMs: ms(9) }],
    ['one succeeded', [8], [], noFailures],
    ['one succeeded after all failures', [8], [7, 8], noFailures],
    ['some failed after the last success', [8, 3], [7, 9, 12], { failures: 2, lastFailureMs: ms(12) }],
  ])('after two failures: %s', (_, succeeded, failed, after) => {
    expect(backoffAfter(two, succeeded.map(endedAt), failed.map(endedAt))).toEqual(after);
  });

  it.each<[failures: number, seconds: number]>([
    [0, 0],
    [1, 10],
    [2, 20],
    [3, 40],
    [6, 320],
    [7, 600],
    [5000, 600],
  ])('after %i failures it is %i seconds', (failures, seconds) => {
    expect(remainingBackoffMs({ failures, lastFailureMs: ms(0) }, ms(0))).toBe(seconds * 1000);
    expect(remainingBackoffMs({ failures, lastFailureMs: ms(0) }, ms(seconds + 1))).toBe(0);
  });
});
