import type { Pod } from '@coxswain/api/core/v1';
import { silentLogger } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import type { Extender, Victims } from '../../framework/extender.ts';
import { NodeInfo } from '../../framework/node-info.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { RowVersions } from '../../framework/row-versions.ts';
import { Status } from '../../framework/status.ts';
import { askExtenders } from './ask-extenders.ts';
import { bestCandidate, Candidate, CandidateFinder } from './candidates.ts';
import { DisruptionBudgets } from './disruption-budgets.ts';

const pod = (name: string, priority: number, startTime?: string): Pod => ({
  metadata: { name, namespace: 'x', uid: name },
  spec: { containers: [], priority },
  ...(startTime && { status: { startTime } }),
});
const early = '2026-01-01T00:00:00Z';
const late = '2026-01-02T00:00:00Z';
const candidate = (nodeName: string, numPDBViolations: number, ...pods: Pod[]): Candidate =>
  new Candidate(nodeName, { numPDBViolations, pods });

describe('the best candidate', () => {
  it.each<[string, Candidate, Candidate]>([
    ['violates the fewest budgets', candidate('a', 0, pod('1', 90), pod('2', 90)), candidate('b', 1, pod('3', 1))],
    [
      'has the lowest highest priority of its victims',
      candidate('a', 0, pod('1', 10), pod('2', 10), pod('3', 10)),
      candidate('b', 0, pod('4', 11)),
    ],
    [
      'has the lowest sum of priorities',
      candidate('a', 0, pod('1', 10), pod('2', 1)),
      candidate('b', 0, pod('3', 10), pod('4', 2)),
    ],
    [
      'has fewer victims, however low their priorities',
      candidate('a', 0, pod('1', -10)),
      candidate('b', 0, pod('2', -10), pod('3', -10)),
    ],
    [
      'has victims that started later',
      candidate('a', 0, pod('1', 10, late), pod('2', 5, early)),
      candidate('b', 0, pod('3', 10, early), pod('4', 5, late)),
    ],
    ['has victims that have not started', candidate('a', 0, pod('1', 10)), candidate('b', 0, pod('2', 10, late))],
  ])('%s', (_, better, worse) => {
    expect(bestCandidate([better, worse])).toBe(better);
    expect(bestCandidate([worse, better])).toBe(better);
  });

  it('is the first of equals', () => {
    const [first, second] = [candidate('a', 0, pod('1', 1, early)), candidate('b', 0, pod('2', 1, early))];
    expect(bestCandidate([first, second])).toBe(first);
  });
});

describe('a dry run', () => {
  const nodes = Array.from({ length: 10 }, (_, i) => {
    const node = new NodeInfo({ metadata: { name: `n${i}` } });
    node.addPod(
      new PodInfo({ ...pod(`p${i}`, 1), metadata: { ...pod(`p${i}`, 1).metadata, labels: { node: `n${i}` } } }),
    );
    return node;
  });
  const run = (offset: number, wanted: number, guarded: readonly string[] = []): readonly string[] => {
    const preemption = {
      handle: {
        runAddPod: () => undefined,
        runRemovePod: () => undefined,
        // The pod fits only on an empty node.
        filterWithNominatedPods: (_state: CycleState, _pod: PodInfo, { pods }: NodeInfo) =>
          pods.length > 0 ? Status.unschedulable('taken') : undefined,
      },
      state: new CycleState(),
      pod: new PodInfo(pod('new', 10)),
      budgets: new DisruptionBudgets(
        guarded.map((node) => ({
          metadata: { name: node, namespace: 'x' },
          spec: { selector: { matchLabels: { node } } },
        })),
      ),
    };
    return new CandidateFinder().find(preemption, nodes, offset, wanted).candidates.map(({ nodeName }) => nodeName);
  };

  it('begins at the offset and ends when there are enough candidates', () => {
    expect(run(8, 4)).toEqual(['n8', 'n9', 'n0', 'n1']);
  });

  it('continues until a candidate violates no budget, and keeps only enough of the others', () => {
    expect(run(0, 2, ['n0', 'n1', 'n2', 'n3'])).toEqual(['n4', 'n0', 'n1']);
  });
});

describe('extenders', () => {
  const candidates = [candidate('a', 0, pod('1', 1)), candidate('b', 0, pod('2', 1))];
  const extender = (answer: () => Promise<Map<string, Victims>>, more: Partial<Extender> = {}): Extender => ({
    name: 'e',
    isIgnorable: false,
    isFilter: false,
    isPrioritizer: false,
    isBinder: false,
    supportsPreemption: true,
    weight: 1,
    isInterested: () => true,
    filter: () => Promise.reject(new Error('not asked for')),
    prioritize: () => Promise.reject(new Error('not asked for')),
    bind: () => Promise.reject(new Error('not asked for')),
    processPreemption: answer,
    ...more,
  });
  const ask = async (...extenders: Extender[]) => {
    const snapshot = () => ({
      nodes: [],
      versions: new RowVersions(),
      nodesWithAffinity: [],
      nodesWithRequiredAntiAffinity: [],
      get: () => undefined,
      isClaimUsed: () => false,
    });
    const handle = { extenders, snapshot, logger: silentLogger };
    const left = await askExtenders(handle, pod('new', 10), candidates, new AbortController().signal);
    return left instanceof Status ? `${left.code} ${left.message}` : left.map(({ nodeName }) => nodeName);
  };
  const only =
    (nodeName: string, ...pods: Pod[]) =>
    async () =>
      new Map([[nodeName, { pods, numPDBViolations: 0 }]]);
  const fails = async () => Promise.reject(new Error('gone'));

  it('select the remaining candidates', async () => {
    expect(await ask(extender(only('b', pod('2', 1))))).toEqual(['b']);
  });

  it('may reject all candidates', async () => {
    expect(
      await ask(
        extender(async () => new Map()),
        extender(fails),
      ),
    ).toEqual([]);
  });

  it.each<[string, Partial<Extender>]>([
    ['do not support preemption', { supportsPreemption: false }],
    ['are not interested', { isInterested: () => false }],
    ['are ignorable', { isIgnorable: true }],
  ])('do not affect the result when they fail and %s', async (_, more) => {
    expect(await ask(extender(fails, more))).toEqual(['a', 'b']);
  });

  it('that fail otherwise cause an error', async () => {
    expect(await ask(extender(fails))).toBe('Error gone');
  });

  it('must name victims', async () => {
    expect(await ask(extender(only('a')))).toBe('Error expected at least one victim pod on node "a"');
    expect(await ask(extender(only('a'), { isIgnorable: true }))).toEqual([]);
  });
});
