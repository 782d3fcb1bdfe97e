import type { ReplicaSet } from '@coxswain/api/apps/v1';
import { describe, expect, it } from 'vitest';
import { deploymentOf, setOf } from './deployment.test-data.ts';
import { planScaling, wasScaled } from './scaling.ts';

/** Annotations of ReplicaSets that were last resized with this deployment size. */
const when = (desired: number, max = desired) => ({
  annotations: {
    'deployment.kubernetes.io/desired-replicas': String(desired),
    'deployment.kubernetes.io/max-replicas': String(max),
  },
});

const rolling = (replicas: number, maxSurge = 0) =>
  deploymentOf({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 1 } } });

interface Case {
  readonly name: string;
  readonly replicas: number;
  readonly maxSurge?: number;
  readonly newSet?: ReplicaSet;
  readonly oldSets: readonly ReplicaSet[];
  readonly expected: readonly string[];
}

describe('planScaling', () => {
  it.each<Case>([
    { name: 'the only set', replicas: 12, newSet: setOf('new', 10, when(10)), oldSets: [], expected: ['new 12'] },
    {
      name: 'the only set with pods, even if its template is old',
      replicas: 12,
      newSet: setOf('new', 0, when(10)),
      oldSets: [setOf('old', 10, when(10))],
      expected: ['old 12'],
    },
    {
      name: 'the new set when none has pods',
      replicas: 5,
      newSet: setOf('new', 0, when(0)),
      oldSets: [setOf('old', 0, when(0))],
      expected: ['new 5'],
    },
    {
      name: 'the newest set when there is no new set',
      replicas: 5,
      oldSets: [setOf('a', 0), setOf('b', 0)],
      expected: ['b 5'],
    },
    {
      name: 'two sets of the same size equally',
      replicas: 20,
      newSet: setOf('new', 5, { ...when(10), available: 0 }),
      oldSets: [setOf('old', 5, when(10))],
      expected: ['old 10', 'new 10'],
    },
    {
      name: 'sets in proportion to their sizes, including the surge',
      replicas: 15,
      maxSurge: 3,
      newSet: setOf('new', 5, { ...when(10, 13), available: 0 }),
      oldSets: [setOf('old', 8, when(10, 13))],
      expected: ['old 11', 'new 7'],
    },
    {
      name: 'sets down, the largest first, which gets the rounding remainder',
      replicas: 5,
      maxSurge: 3,
      newSet: setOf('new', 7, { ...when(15, 18), available: 0 }),
      oldSets: [setOf('old', 11, when(15, 18))],
      expected: ['old 5', 'new 3'],
    },
    {
      name: 'all sets down to zero',
      replicas: 0,
      newSet: setOf('new', 3, { ...when(8), available: 0 }),
      oldSets: [setOf('a', 3, when(8)), setOf('b', 2, when(8))],
      expected: ['a 0', 'new 0', 'b 0'],
    },
    {
      name: 'in proportion to the current replicas without annotations',
      replicas: 20,
      newSet: setOf('new', 5, { available: 0 }),
      oldSets: [setOf('old', 5)],
      expected: ['old 10', 'new 10'],
    },
    {
      name: 'old sets to zero when the new set is complete',
      replicas: 5,
      newSet: setOf('new', 5, when(5)),
      oldSets: [setOf('a', 2, when(10)), setOf('b', 0, when(10))],
      expected: ['a 0'],
    },
    {
      name: 'nothing but updates the annotations when the sizes are right',
      replicas: 10,
      newSet: setOf('new', 4, { ...when(8), available: 0 }),
      oldSets: [setOf('old', 6, when(8))],
      expected: ['old 6', 'new 4'],
    },
  ])('scales $name', ({ replicas, maxSurge = 0, newSet, oldSets, expected }) => {
    const deployment = { ...rolling(replicas, maxSurge), status: { replicas: 10 } };
    const plan = planScaling(deployment, newSet, oldSets);
    expect(plan.map(({ set, size }) => `${set.metadata.name} ${size}`)).toEqual(expected);
  });
});

describe('wasScaled', () => {
  it.each<[says: string, sets: ReplicaSet[], expected: boolean]>([
    ['the same size', [setOf('a', 1, when(10))], false],
    ['another size', [setOf('a', 1, when(9))], true],
    ['nothing', [setOf('a', 1)], false],
    [
      'an invalid size',
      [setOf('a', 1, { annotations: { 'deployment.kubernetes.io/desired-replicas': 'ten' } })],
      false,
    ],
    ['another size but no pods', [setOf('a', 0, when(9))], false],
  ])('when a set is annotated with %s', (_, sets, expected) => {
    expect(wasScaled(rolling(10), sets)).toBe(expected);
  });
});
