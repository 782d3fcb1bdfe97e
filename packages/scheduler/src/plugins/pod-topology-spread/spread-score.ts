import type { Pod } from '@coxswain/api/core/v1';
import type { NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { DomainCounts } from '../../topology/domain-counts.ts';
import type { NodeTable } from '../../topology/node-table.ts';
import { countMatchingPods, type SpreadConstraint } from './spread-constraint.ts';

export const hostnameLabel = 'kubernetes.io/hostname';

interface Part {
  readonly constraint: SpreadConstraint;
  readonly counts: DomainCounts;
  /**
   * Grows with the logarithm of the number of domains: counts per domain are smaller in topologies with many domains
   * (nodes) than in those with few (zones), so they weigh more.
   */
  weight: number;
  readonly isPerNode: boolean;
}

/**
 * Scores nodes by the number of matching pods in their domains, weighted by constraint. Lower is better until
 * normalized.
 */
export class SpreadScore {
  readonly #table: NodeTable;
  readonly #namespace: string | undefined;
  readonly #parts: readonly Part[];
  /** Rows of nodes that lack a topology key. */
  readonly #ignored = new Set<number>();

  /** `nodes` are the feasible nodes. With `requireAllKeys`, nodes without all topology keys get score 0. */
  constructor(
    pod: Pod,
    table: NodeTable,
    constraints: readonly SpreadConstraint[],
    counts: readonly DomainCounts[],
    nodes: readonly NodeInfo[],
    requireAllKeys: boolean,
  ) {
    this.#table = table;
    this.#namespace = pod.metadata.namespace;
    this.#parts = constraints.map((constraint, i) => ({
      constraint,
      counts: counts[i]!,
      weight: 0,
      isPerNode: constraint.topologyKey === hostnameLabel,
    }));
    const rows = nodes.map(({ name }) => table.row(name));
    if (requireAllKeys)
      for (const row of rows) if (counts.some(({ index }) => index.domain(row) < 0)) this.#ignored.add(row);
    const scored = this.#ignored.size > 0 ? rows.filter((row) => !this.#ignored.has(row)) : rows;
    for (const part of this.#parts) part.weight = Math.log(this.#domains(part, scored) + 2);
  }

  /** Returns the raw score, for `normalize`. */
  score(info: NodeInfo): number {
    const row = this.#table.row(info.name);
    if (this.#ignored.has(row)) return 0;
    let score = 0;
    for (const part of this.#parts) {
      const { constraint, counts, weight } = part;
      if (counts.index.domain(row) < 0) continue;
      score += (part.isPerNode ? this.#onNode(part, row, info) : counts.at(row)) * weight + constraint.maxSkew - 1;
    }
    return Math.round(score);
  }

  normalize(nodes: readonly NodeInfo[], scores: number[]): void {
    const isIgnored = nodes.map(({ name }) => this.#ignored.size > 0 && this.#ignored.has(this.#table.row(name)));
    let min = Number.MAX_SAFE_INTEGER;
    let max = 0;
    for (let i = 0; i < scores.length; i++) {
      if (isIgnored[i]) continue;
      min = Math.min(min, scores[i]!);
      max = Math.max(max, scores[i]!);
    }
    for (let i = 0; i < scores.length; i++) {
      if (isIgnored[i]) scores[i] = 0;
      else scores[i] = max === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (max + min - scores[i]!)) / max);
    }
  }

  /** Nodes excluded by the constraint's policies are counted here as well. */
  #onNode({ constraint, counts }: Part, row: number, info: NodeInfo): number {
    const count = counts.onNode(row);
    return count < 0 ? countMatchingPods(info, constraint.selector, this.#namespace) : count;
  }

  /** The number of domains of the feasible nodes. Nodes without the label, unless ignored, count as one domain. */
  #domains({ counts, isPerNode }: Part, rows: readonly number[]): number {
    if (isPerNode) return rows.length;
    const domains = new Set<number>();
    for (const row of rows) domains.add(counts.index.domain(row));
    return domains.size;
  }
}
