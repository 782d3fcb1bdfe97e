import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FitError } from '../framework/fit-error.ts';
import { NodeInfo } from '../framework/node-info.ts';
import { NodeToStatus } from '../framework/node-to-status.ts';
import { podStatusPatch } from '../framework/pod-status-patch.ts';
import { RowVersions } from '../framework/row-versions.ts';
import { Status } from '../framework/status.ts';
import { BoundedTasks } from './bounded-tasks.ts';
import { numFeasibleNodesToFind } from './node-finder.ts';
import { bestOf } from './select-host.ts';

describe('the number of feasible nodes to find', () => {
  it.each<[percentage: number, nodes: number, wanted: number]>([
    [0, 50, 50],
    [0, 99, 99],
    [0, 1000, 420],
    [0, 5000, 500],
    [0, 6000, 300],
    [30, 1000, 300],
    [1, 1000, 100],
    [100, 1000, 1000],
  ])('%i %% of %i are %i', (percentage, nodes, wanted) => {
    expect(numFeasibleNodesToFind(percentage, nodes)).toBe(wanted);
  });
});

describe('the best node', () => {
  it('has the highest score', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }),
        fc.float({ min: 0, max: Math.fround(0.99), noNaN: true }),
        (scores, random) => {
          expect(scores[bestOf(scores, () => random)]).toBe(Math.max(...scores));
        },
      ),
    );
  });

  it('is any of those with the highest score, with equal probability', () => {
    // `random` decides whether each equal score replaces the current best, with probability 1/k for the k-th.
    const draws =
      (...values: number[]) =>
      () =>
        values.shift() ?? 0.999;
    const scores = [5, 9, 9, 1, 9];
    expect(bestOf(scores, draws(0.999, 0.999))).toBe(1);
    expect(bestOf(scores, draws(0.49, 0.999))).toBe(2);
    expect(bestOf(scores, draws(0.999, 0.33))).toBe(4);
    expect(bestOf(scores, draws(0.51, 0.34))).toBe(1);
  });
});

describe('a FitError', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((name) => new NodeInfo({ metadata: { name } }));
  const snapshot = {
    nodes,
    versions: new RowVersions(),
    nodesWithAffinity: [],
    nodesWithRequiredAntiAffinity: [],
    get: (name: string) => nodes.find((node) => node.name === name),
    isClaimUsed: () => false,
  };
  const by = (plugin: string, status: Status): Status => Object.assign(status, { plugin });

  it('counts each reason', () => {
    const statuses = new NodeToStatus(snapshot);
    const full = by('Fit', Status.unschedulable('Insufficient cpu', 'Too many pods'));
    statuses.add(nodes[0]!, full);
    statuses.add(nodes[1]!, full);
    statuses.add(nodes[2]!, by('Taint', Status.unresolvable('node(s) had untolerated taint(s)')));
    statuses.absentStatus = Status.unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]");
    const error = new FitError(4, statuses, { plugins: new Set(['NodeAffinity']) });
    error.postFilterMessage = 'preemption: it does not help.';
    expect(error.message).toBe(
      "0/4 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity], 1 node(s) had untolerated taint(s), 2 Insufficient cpu, 2 Too many pods. preemption: it does not help.",
    );
    expect(error.rejectors).toEqual({ unschedulable: new Set(['NodeAffinity', 'Fit', 'Taint']), pending: new Set() });
    expect(statuses.nodesWith('Unschedulable').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(statuses.nodesWith('UnschedulableAndUnresolvable').map(({ name }) => name)).toEqual(['c', 'd']);
    expect(statuses.get('a')).toBe(full);
    expect(statuses.get('d')).toBe(statuses.absentStatus);
  });

  it('contains only the status of PreFilter when that rejected the pod', () => {
    const preFilter = by('Volumes', Status.unresolvable('persistentvolumeclaim "x" not found'));
    const statuses = new NodeToStatus(snapshot);
    statuses.absentStatus = preFilter;
    const error = new FitError(4, statuses, { preFilter });
    expect(error.message).toBe('0/4 nodes are available: persistentvolumeclaim "x" not found.');
    expect(error.rejectors).toEqual({ unschedulable: new Set(['Volumes']), pending: new Set() });
  });

  it('names plug-ins with status Pending', () => {
    const statuses = new NodeToStatus(snapshot);
    statuses.add(nodes[0]!, by('Claims', new Status('Pending', ['waiting'])));
    const plugins = new Set(['Claims']);
    expect(new FitError(1, statuses).rejectors).toEqual({ unschedulable: plugins, pending: plugins });
  });
});

describe('a patch of a pod’s status', () => {
  const now = Date.parse('2026-01-02T03:04:05Z');
  const condition = { type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable', message: 'no' };
  const known = { ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' };
  const pod = (status: object) => ({ metadata: { name: 'web', uid: 'u' }, status });

  it('is not created without a change', () => {
    expect(podStatusPatch(pod({ conditions: [known] }), { condition, nominatedNodeName: '' }, now)).toBeUndefined();
    expect(podStatusPatch(pod({ nominatedNodeName: 'a' }), { nominatedNodeName: 'a' }, now)).toBeUndefined();
    expect(podStatusPatch(pod({ nominatedNodeName: 'a' }), {}, now)).toBeUndefined();
  });

  it('keeps lastTransitionTime when only the message changes', () => {
    const patch = podStatusPatch(
      pod({ conditions: [known] }),
      { condition: { ...condition, message: 'still no' } },
      now,
    );
    expect(patch).toEqual({
      metadata: { uid: 'u' },
      status: {
        '$setElementOrder/conditions': [{ type: 'PodScheduled' }],
        conditions: [{ ...known, message: 'still no' }],
      },
    });
  });

  it('removes a nomination', () => {
    const patch = podStatusPatch(
      pod({ nominatedNodeName: 'a', conditions: [known] }),
      { condition, nominatedNodeName: '' },
      now,
    );
    expect(patch).toEqual({ metadata: { uid: 'u' }, status: { nominatedNodeName: null } });
  });
});

it('BoundedTasks limits concurrency and keeps the order of tasks', async () => {
  const tasks = new BoundedTasks(2);
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const start = (number: number): Promise<void> =>
    tasks.run(() => {
      started.push(number);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const running = [1, 2, 3, 4].map(start);
  let hasRoom = false;
  const room = tasks.room().then(() => {
    hasRoom = true;
  });
  expect(started).toEqual([1, 2]);
  ends[0]!();
  await running[0];
  expect(started).toEqual([1, 2, 3]);
  ends[1]!();
  await running[1];
  expect(started).toEqual([1, 2, 3, 4]);
  expect(hasRoom).toBe(false);
  ends[2]!();
  ends[3]!();
  await Promise.all([...running, room]);
  expect(tasks.isIdle).toBe(true);
});
