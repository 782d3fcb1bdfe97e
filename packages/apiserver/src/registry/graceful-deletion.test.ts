import type { PodSpec, PodStatus } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { defaultGarbageCollectionPolicy, podGracePeriodSeconds } from './graceful-deletion.ts';

describe('the grace period of a pod', () => {
  it.each<[string, Partial<PodSpec>, PodStatus, number | undefined, number]>([
    ['is that of the pod', { nodeName: 'n', terminationGracePeriodSeconds: 30 }, {}, undefined, 30],
    ['is that of the request', { nodeName: 'n', terminationGracePeriodSeconds: 30 }, {}, 7, 7],
    ['is zero when the request says so', { nodeName: 'n', terminationGracePeriodSeconds: 30 }, {}, 0, 0],
    ['is one second when it is negative', { nodeName: 'n', terminationGracePeriodSeconds: -5 }, {}, undefined, 1],
    ['is zero when neither says', { nodeName: 'n' }, {}, undefined, 0],
    ['is zero before it is scheduled', { terminationGracePeriodSeconds: 30 }, {}, 7, 0],
    ['is zero after it succeeded', { nodeName: 'n', terminationGracePeriodSeconds: 30 }, { phase: 'Succeeded' }, 7, 0],
    ['is zero after it failed', { nodeName: 'n', terminationGracePeriodSeconds: 30 }, { phase: 'Failed' }, -1, 0],
  ])('%s', (_, spec, status, gracePeriodSeconds, expected) => {
    const pod = { metadata: {}, spec: { containers: [], ...spec }, status };
    expect(podGracePeriodSeconds(pod, { gracePeriodSeconds })).toBe(expected);
  });
});

describe('the default garbage collection policy', () => {
  it.each([
    ['v1', 'replicationcontrollers', 'Orphan'],
    ['batch/v1', 'jobs', 'Orphan'],
    ['batch/v1', 'cronjobs', 'Delete'],
    ['apps/v1', 'replicasets', 'Delete'],
    ['v1', 'configmaps', 'Delete'],
    ['v1', 'events', 'Unsupported'],
    ['events.k8s.io/v1', 'events', 'Unsupported'],
  ])('of %s %s: %s', (groupVersion, resource, expected) => {
    expect(defaultGarbageCollectionPolicy(groupVersion, resource)).toBe(expected);
  });
});
