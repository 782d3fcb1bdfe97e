import type { NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import type { CountsCache } from '../../topology/counts-cache.ts';
import type { NodeTable } from '../../topology/node-table.ts';
import type { ExistingTerm } from './existing-terms.ts';
import { countMatching, IncomingTerm } from './incoming-terms.ts';
import type { Namespaces } from './namespaces.ts';

interface Weighted {
  readonly counts: { at(row: number): number };
  readonly weight: number;
}

/** Scores nodes by the preferences of the pod and of existing pods. */
export class AffinityScore {
  readonly #table: NodeTable;
  readonly #parts: readonly Weighted[];

  constructor(table: NodeTable, parts: readonly Weighted[]) {
    this.#table = table;
    this.#parts = parts;
  }

  score(node: NodeInfo): number {
    const row = this.#table.row(node.name);
    let score = 0;
    for (const { counts, weight } of this.#parts) score += weight * counts.at(row);
    return score;
  }
}

/** Returns the weighted counts for the pod; empty when no term matches any pod. */
export function weightedTerms(
  pod: PodInfo,
  cache: CountsCache,
  namespaces: Namespaces,
  existing: readonly ExistingTerm[],
): Weighted[] {
  // The sums of existing terms already include their weights.
  const parts: Weighted[] = existing.map((counts) => ({ counts, weight: 1 }));
  const add = (terms: PodInfo['preferredAffinityTerms'], sign: 1 | -1): void => {
    for (const term of terms) {
      const counts = countMatching(cache, [new IncomingTerm(term, namespaces)], term.topologyKey);
      if (counts.total > 0) parts.push({ counts, weight: sign * term.weight });
    }
  };
  add(pod.preferredAffinityTerms, 1);
  add(pod.preferredAntiAffinityTerms, -1);
  return parts;
}

/** Scales scores so that the best is 100 and the worst is 0. */
export function normalizeAffinityScores(scores: number[]): void {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < min) min = score;
    if (score > max) max = score;
  }
  const range = max - min;
  for (let i = 0; i < scores.length; i++)
    scores[i] = range > 0 ? Math.trunc(maxNodeScore * ((scores[i]! - min) / range)) : 0;
}
