import type { Pod } from '@coxswain/api/core/v1';
import type { DomainCounts } from '../../topology/domain-counts.ts';
import type { SpreadConstraint } from './spread-constraint.ts';

/** Whether a pod may be on a node, as far as one of its constraints goes; also if some other pods came or went. */
export class SpreadFilter {
  readonly #constraint: SpreadConstraint;
  readonly #counts: DomainCounts;
  readonly #isSelfMatching: boolean;
  /** Pods that came or went on trial, by domain. */
  readonly #changes: Map<number, number>;
  /** How many of the pods may be in a domain to which the pod goes. */
  #limit: number;

  constructor(
    pod: Pod,
    constraint: SpreadConstraint,
    counts: DomainCounts,
    changes: ReadonlyMap<number, number> = new Map(),
  ) {
    this.#constraint = constraint;
    this.#counts = counts;
    this.#isSelfMatching = constraint.selector.matches(pod.metadata.labels);
    this.#changes = new Map(changes);
    this.#limit = this.#findLimit();
  }

  clone(pod: Pod): SpreadFilter {
    return new SpreadFilter(pod, this.#constraint, this.#counts, this.#changes);
  }

  hasDomain(row: number): boolean {
    return this.#counts.index.domain(row) >= 0;
  }

  /** Whether the node's domain would not get too far ahead of the others. */
  allows(row: number): boolean {
    const count = this.#counts.at(row);
    if (this.#changes.size === 0) return count <= this.#limit;
    return count + (this.#changes.get(this.#counts.index.domain(row)) ?? 0) <= this.#limit;
  }

  /** A pod of the same namespace comes to the node (1) or goes (-1). */
  change({ metadata }: Pod, row: number, by: 1 | -1): void {
    if (this.#counts.onNode(row) < 0 || !this.#constraint.selector.matches(metadata.labels)) return;
    const domain = this.#counts.index.domain(row);
    this.#changes.set(domain, (this.#changes.get(domain) ?? 0) + by);
    this.#limit = this.#findLimit();
  }

  /** While there are fewer domains than there should be, one that does not exist yet counts as empty. */
  #findLimit(): number {
    const { maxSkew, minDomains } = this.#constraint;
    const fewest = this.#counts.domains < minDomains ? 0 : this.#counts.fewest(this.#changes);
    return maxSkew + fewest - (this.#isSelfMatching ? 1 : 0);
  }
}
