import type { Node, Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget } from '@coxswain/api/policy/v1';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { NodeInfo } from '../../framework/node-info.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { nodeResourcesFit } from '../node-resources-fit/index.ts';
import { bestCandidate, CandidateFinder } from './candidates.ts';
import { DisruptionBudgets } from './disruption-budgets.ts';
import recorded from './testdata/upstream.json' with { type: 'json' };

/** A random cluster, and the results of upstream's preemption for a pod. */
interface RecordedCase {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly pod: Pod;
  readonly expected: {
    readonly candidates?: readonly { node: string; victims: readonly string[]; violations: number }[];
    readonly rejected?: Readonly<Record<string, string>>;
    /** The nodes from which upstream selected one. */
    readonly best?: readonly string[];
  };
}

const cases: readonly RecordedCase[] = JSON.parse(JSON.stringify(recorded));

describe.each(cases.map((each, i) => ({ ...each, i })))(
  'preemption in cluster $i',
  ({ nodes, pods, budgets, pod, expected }) => {
    const fit = nodeResourcesFit.create(nodeResourcesFit.readArgs?.(undefined) as never, fakeHandle());
    const info = new PodInfo(pod);
    const state = new CycleState();
    fit.preFilter?.(state, info, []);
    const infos = nodes.map((node) => new NodeInfo(node));
    for (const other of pods) infos.find(({ name }) => name === other.spec?.nodeName)?.addPod(new PodInfo(other));
    const before = infos.map(({ pods }) => pods.map(({ key }) => key));
    const preemption = {
      handle: {
        runAddPod: () => undefined,
        runRemovePod: () => undefined,
        filterWithNominatedPods: (trial: CycleState, wanted: PodInfo, node: NodeInfo) =>
          fit.filter?.(trial, wanted, node),
      },
      state,
      pod: info,
      budgets: new DisruptionBudgets(budgets),
    };
    const finder = new CandidateFinder();
    const { candidates } = finder.find(preemption, infos, 0, infos.length);
    // Rejections are reported only without candidates, so each node is tried on its own.
    const rejected = infos.flatMap((node) => finder.find(preemption, [node], 0, 1).rejected);

    it('finds the same victims, in the same order', () => {
      const found = candidates.map(({ nodeName, pods: victims, numPDBViolations }) => ({
        node: nodeName,
        victims: victims.map(({ metadata }) => metadata.name),
        violations: numPDBViolations,
      }));
      expect(found.sort((a, b) => (a.node < b.node ? -1 : 1))).toEqual(expected.candidates ?? []);
    });

    it('rejects the other nodes with the same messages', () => {
      expect(
        Object.fromEntries(rejected.map(({ node, status }) => [node.name, `${status.code} ${status.message}`])),
      ).toEqual(expected.rejected ?? {});
    });

    it('selects an equally good node', () => {
      const best = bestCandidate(candidates)?.nodeName;
      if (best === undefined) expect(expected.best).toBeUndefined();
      else expect(expected.best).toContain(best);
    });

    it('changes nothing', () => {
      expect(infos.map(({ pods }) => pods.map(({ key }) => key))).toEqual(before);
    });
  },
);
