import type { Pod } from '@coxswain/api/core/v1';
import type { DomainCounts } from '../../topology/domain-counts.ts';
import type { SpreadConstraint } from './spread-constraint.ts';

/** Checks nodes against one constraint of a pod, including hypothetical changes by other pods. */
export class SpreadFilter {
  readonly #constraint: SpreadConstraint;
  readonly #counts: DomainCounts;
  readonly #isSelfMatching: boolean;
  /** Pods added or removed in a trial, by domain. */
  readonly #changes: Map<number, number>;
  /** The maximum number of matching pods in a domain that may get the pod. */
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

  /** Whether the pod would stay within the maximum skew on the node. */
  allows(row: number): boolean {
    const count = this.#counts.at(row);
    if (this.#changes.size === 0) return count <= this.#limit;
    return count + (this.#changes.get(this.#counts.index.domain(row)) ?? 0) <= this.#limit;
  }

  /** Records that a pod of the same namespace is added to the node (1) or removed (-1). */
  change({ metadata }: Pod, row: number, by: 1 | -1): void {
    if (this.#counts.onNode(row) < 0 || !this.#constraint.selector.matches(metadata.labels)) return;
    const domain = this.#counts.index.domain(row);
    this.#changes.set(domain, (this.#changes.get(domain) ?? 0) + by);
    this.#limit = this.#findLimit();
  }

  /** With fewer domains than `minDomains`, the minimum count is 0. */
  #findLimit(): number {
    const { maxSkew, minDomains } = this.#constraint;
    const fewest = this.#counts.domains < minDomains ? 0 : this.#counts.fewest(this.#changes);
    return maxSkew + fewest - (this.#isSelfMatching ? 1 : 0);
  }
}
