import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deploymentOf, setOf } from './deployment.test-data.ts';
import { fenceposts, maxReplicas, minAvailable } from './fenceposts.ts';
import { newSetSize, planScaleDown } from './rolling.ts';

type Limit = number | string;

const rolling = (replicas: number, maxSurge: Limit, maxUnavailable: Limit): Deployment =>
  deploymentOf({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });

describe('fenceposts', () => {
  it.each<[replicas: number, surge: Limit, unavailable: Limit, maxSurge: number, maxUnavailable: number]>([
    [10, '25%', '25%', 3, 2],
    [4, '25%', '25%', 1, 1],
    [1, '25%', '25%', 1, 0],
    [2, 0, '1%', 0, 1],
    [1, '0%', '1%', 0, 1],
    [2, '1%', '0%', 1, 0],
    [3, 5, 5, 5, 3],
    [0, '25%', '25%', 0, 0],
    [0, 2, 1, 2, 0],
  ])(
    'for %d replicas, maxSurge %s and maxUnavailable %s are %d and %d',
    (replicas, surge, unavailable, ...expected) => {
      const { maxSurge, maxUnavailable } = fenceposts(rolling(replicas, surge, unavailable));
      expect([maxSurge, maxUnavailable]).toEqual(expected);
    },
  );

  it('are zero for other strategies', () => {
    expect(fenceposts(deploymentOf({ strategy: { type: 'Recreate' } }))).toEqual({ maxSurge: 0, maxUnavailable: 0 });
  });
});

describe('newSetSize', () => {
  it.each<{ name: string; size: number; old: number[]; expected: number }>([
    { name: 'the surge at first', size: 0, old: [10], expected: 3 },
    { name: 'increased when old sets have shrunk', size: 3, old: [8], expected: 5 },
    { name: 'unchanged while the surge is used up', size: 5, old: [8], expected: 5 },
    { name: 'unchanged when old sets are too large', size: 5, old: [20], expected: 5 },
    { name: 'never more than the deployment size', size: 8, old: [1], expected: 10 },
    { name: 'reduced to the deployment size', size: 12, old: [], expected: 10 },
  ])('is $name', ({ size, old, expected }) => {
    const sets = old.map((count, i) => setOf(`old-${i}`, count));
    expect(newSetSize(rolling(10, 3, 2), size, sets)).toBe(expected);
  });
});

describe('planScaleDown', () => {
  const plan = (newSet: ReplicaSet, ...oldSets: ReplicaSet[]) =>
    planScaleDown(rolling(10, 3, 2), newSet, oldSets).map(({ set, size }) => `${set.metadata.name} ${size}`);

  it.each<{ name: string; newSet: ReplicaSet; oldSets: ReplicaSet[]; expected: string[] }>([
    {
      name: 'removes up to maxUnavailable pods',
      newSet: setOf('new', 3, { available: 0 }),
      oldSets: [setOf('old', 10)],
      expected: ['old 8'],
    },
    {
      name: 'does nothing while new pods are unavailable',
      newSet: setOf('new', 5, { available: 0 }),
      oldSets: [setOf('old', 8)],
      expected: [],
    },
    {
      name: 'removes unavailable pods first, then others',
      newSet: setOf('new', 0),
      oldSets: [setOf('old', 10, { available: 9 })],
      expected: ['old 9', 'old 8'],
    },
    {
      name: 'shrinks the oldest sets first',
      newSet: setOf('new', 5),
      oldSets: [setOf('a', 4), setOf('b', 4)],
      expected: ['a 0', 'b 3'],
    },
    {
      name: 'removes all pods of a broken template',
      newSet: setOf('new', 8),
      oldSets: [setOf('broken', 5, { available: 0 })],
      expected: ['broken 0'],
    },
    {
      name: 'waits for a set that is still shrinking',
      newSet: setOf('new', 5),
      oldSets: [setOf('old', 6, { available: 8 })],
      expected: [],
    },
    { name: 'has nothing to do without old pods', newSet: setOf('new', 10), oldSets: [setOf('old', 0)], expected: [] },
  ])('$name', ({ newSet, oldSets, expected }) => {
    expect(plan(newSet, ...oldSets)).toEqual(expected);
  });
});

/** A model of a ReplicaSet and its pods. Its reported status lags behind. */
class ModelSet {
  readonly name: string;
  size = 0;
  ready = 0;
  starting = 0;
  reported = 0;

  constructor(name: string) {
    this.name = name;
  }

  get asSeen(): ReplicaSet {
    return setOf(this.name, this.size, { available: this.reported });
  }

  /** Creates or deletes pods to match the size. Pods that are not ready are deleted first. */
  act(): void {
    const surplus = this.ready + this.starting - this.size;
    if (surplus < 0) this.starting -= surplus;
    else {
      const startingGone = Math.min(this.starting, surplus);
      this.starting -= startingGone;
      this.ready -= surplus - startingGone;
    }
  }
}

const limits = fc.oneof(
  fc.nat(4),
  fc.nat(100).map((percent) => `${percent}%`),
);
const steps = fc.array(fc.tuple(fc.constantFrom('deploy', 'act', 'report', 'start', 'template'), fc.nat(100)), {
  minLength: 20,
  maxLength: 200,
});

describe('a rolling update with events in any order', () => {
  it('never exceeds maxSurge or maxUnavailable, and completes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), limits, limits, steps, (replicas, surge, unavailable, events) => {
        const deployment = rolling(replicas, surge, unavailable);
        const first = new ModelSet('set-0');
        Object.assign(first, { size: replicas, ready: replicas, reported: replicas });
        const sets = [first, new ModelSet('set-1')];
        const available = (): number => sets.reduce((sum, { ready }) => sum + ready, 0);
        const total = (): number => sets.reduce((sum, { size }) => sum + size, 0);

        const deploy = (): void => {
          const newest = sets.at(-1)!;
          const old = sets.slice(0, -1).map(({ asSeen }) => asSeen);
          const size = newSetSize(deployment, newest.size, old);
          if (size !== newest.size) {
            newest.size = size;
            return;
          }
          for (const resize of planScaleDown(deployment, newest.asSeen, old)) {
            sets.find(({ name }) => name === resize.set.metadata.name)!.size = resize.size;
          }
        };
        const step = (event: string, which: number): void => {
          const set = sets[which % sets.length]!;
          const before = available();
          if (event === 'deploy') deploy();
          else if (event === 'act') set.act();
          else if (event === 'report') set.reported = set.ready;
          else if (event === 'template' && sets.length < 5) sets.push(new ModelSet(`set-${sets.length}`));
          else if (event === 'start' && set.starting > 0) {
            set.starting--;
            set.ready++;
          }
          if (total() > maxReplicas(deployment)) throw new Error(`${total()} pods are too many`);
          const left = available();
          if (left < before && left < minAvailable(deployment)) throw new Error(`${left} available pods are too few`);
        };

        for (const [event, which] of events) step(event, which);
        // Let all events happen until the update is complete.
        for (let round = 0; round < 10 * replicas; round++) {
          for (const event of ['deploy', 'act', 'start', 'report']) {
            for (const which of sets.keys()) step(event, which);
          }
        }
        expect(sets.map(({ ready }) => ready)).toEqual(sets.map((_, i) => (i === sets.length - 1 ? replicas : 0)));
      }),
      { numRuns: 300 },
    );
  });
});
