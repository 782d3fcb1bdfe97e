import type { NodeInfo } from '../framework/node-info.ts';
import { maxNodeScore } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import type { Attempt } from './node-finder.ts';

/** Converts scores of extenders, which are from 0 to 10. */
const extenderScale = maxNodeScore / 10;

/** Returns the node with the highest score of plug-ins and extenders, at random among equals; or an error status. */
export async function selectHost(
  attempt: Attempt,
  nodes: readonly NodeInfo[],
  random: () => number,
): Promise<NodeInfo | Status> {
  const [first] = nodes;
  if (!first) throw new Error('bug: there are no nodes to select from');
  if (nodes.length === 1) return first;
  const { framework, state, pod } = attempt;
  const { extenders } = framework;
  if (extenders.length > 0 || framework.at('score').length > 0) {
    const problem = framework.timer.time('PreScore', () => framework.runPreScore(state, pod, nodes));
    if (problem) return problem;
  }
  const scores = framework.timer.time('Score', () => framework.runScore(state, pod, nodes));
  if (scores instanceof Status) return scores;
  if (extenders.length > 0) await addExtenderScores(attempt, nodes, scores);
  return nodes[bestOf(scores, random)] ?? first;
}

/** Returns the index of the highest score. Among several each has the same probability. */
export function bestOf(scores: readonly number[], random: () => number): number {
  let best = 0;
  let equals = 1;
  for (let i = 1; i < scores.length; i++) {
    if (scores[i]! > scores[best]!) {
      best = i;
      equals = 1;
    } else if (scores[i] === scores[best] && random() * ++equals < 1) {
      best = i;
    }
  }
  return best;
}

/** Errors of extenders are logged, and their scores count as 0. */
async function addExtenderScores(
  { framework, pod: { pod }, signal }: Attempt,
  nodes: readonly NodeInfo[],
  scores: number[],
): Promise<void> {
  const asked = framework.extenders.filter((extender) => extender.isPrioritizer && extender.isInterested(pod));
  const answers = await Promise.all(
    asked.map((extender) =>
      extender.prioritize(pod, nodes, signal).catch((error: unknown) => {
        const fields = { pod, extender: extender.name, err: error };
        framework.logger
          .v(5)
          .info("Failed to run extender's priority function. No score given by this extender.", fields);
        return new Map<string, number>();
      }),
    ),
  );
  for (const [index, { weight }] of asked.entries()) {
    for (const [at, { name }] of nodes.entries()) {
      scores[at]! += (answers[index]?.get(name) ?? 0) * weight * extenderScale;
    }
  }
}
