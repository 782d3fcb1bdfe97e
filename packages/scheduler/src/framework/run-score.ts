import { messageOf } from '@coxswain/apimachinery/errors';
import type { CycleState } from './cycle-state.ts';
import type { NodeInfo } from './node-info.ts';
import { maxNodeScore, minNodeScore, type Plugin } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { Status } from './status.ts';

/** Returns the weighted sums of the plug-ins' normalized scores by node, or an error status. */
export function runScore(
  plugins: readonly Plugin[],
  weights: ReadonlyMap<string, number>,
  state: CycleState,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
): number[] | Status {
  const totals: number[] = [];
  const scores: number[] = [];
  for (let i = 0; i < nodes.length; i++) totals.push(0);
  // Plug-ins in the outer loop, nodes in the inner one, so that the inner loop always calls the same function.
  for (const plugin of plugins) {
    const problem = scoresOf(plugin, state, pod, nodes, scores);
    if (problem) return problem;
    const weight = weights.get(plugin.name) ?? 1;
    for (let i = 0; i < totals.length; i++) {
      const score = scores[i]!;
      if (!(score >= minNodeScore && score <= maxNodeScore)) return outOfRange(plugin, score);
      totals[i]! += score * weight;
    }
  }
  return totals;
}

/** Fills `scores`. Returns an error status when the plug-in fails. */
function scoresOf(
  plugin: Plugin,
  state: CycleState,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  scores: number[],
): Status | undefined {
  try {
    for (let i = 0; i < nodes.length; i++) scores[i] = plugin.score!(state, pod, nodes[i]!);
  } catch (error) {
    return failed('running Score plugins', plugin, error);
  }
  const status = plugin.normalizeScore?.(state, pod, nodes, scores);
  return status && failed('running Normalize on Score plugins', plugin, status.error ?? status.message);
}

function failed(doing: string, { name }: Plugin, error: unknown): Status {
  const message = messageOf(error);
  return Status.failed(new Error(`${doing}: plugin "${name}" failed with: ${message}`, { cause: error }));
}

const outOfRange = ({ name }: Plugin, score: number): Status =>
  Status.failed(
    new Error(
      `applying score defaultWeights on Score plugins: plugin "${name}" returns an invalid score ${score}, ` +
        `it should in the range of [${minNodeScore}, ${maxNodeScore}] after normalizing`,
    ),
  );
