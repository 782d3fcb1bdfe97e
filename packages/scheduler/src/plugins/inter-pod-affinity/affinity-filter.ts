import type { Labels } from '@coxswain/apimachinery/labels';
import { termMatches } from '../../framework/affinity-term.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import type { CountsCache } from '../../topology/counts-cache.ts';
import type { ExistingTerm } from './existing-terms.ts';
import { countMatching, IncomingTerm, matchesAll } from './incoming-terms.ts';
import type { Namespaces } from './namespaces.ts';
import { findOrAdd, TopologyCounts } from './topology-counts.ts';

/** The kind of rule that a node violates. */
export type Conflict = 'affinity' | 'antiAffinity' | 'existingAntiAffinity';

/** The parts that do not change in a trial. */
interface Incoming {
  readonly pod: PodInfo;
  readonly namespaceLabels: Labels | undefined;
  readonly affinityTerms: readonly IncomingTerm[];
  readonly antiAffinityTerms: readonly IncomingTerm[];
  /** Whether the pod itself matches all its affinity terms. */
  readonly isSelfAffine: boolean;
  /** The number of existing pods that match all affinity terms. */
  readonly affinityTotal: number;
}

/** Checks nodes against the pod's required terms and the required anti-affinity of existing pods. */
export class AffinityFilter {
  readonly #incoming: Incoming;
  /** Counts of pods that match all affinity terms. */
  readonly #affinity: readonly TopologyCounts[];
  /** Counts of pods that match an anti-affinity term. */
  readonly #antiAffinity: readonly TopologyCounts[];
  /** Counts of pods with anti-affinity to this one. */
  readonly #existing: TopologyCounts[];

  private constructor(
    incoming: Incoming,
    affinity: readonly TopologyCounts[],
    antiAffinity: readonly TopologyCounts[],
    existing: TopologyCounts[],
  ) {
    this.#incoming = incoming;
    this.#affinity = affinity;
    this.#antiAffinity = antiAffinity;
    this.#existing = existing;
  }

  /** `existing` are the anti-affinity terms of other pods that match this pod. */
  static of(
    pod: PodInfo,
    cache: CountsCache,
    namespaces: Namespaces,
    existing: readonly ExistingTerm[],
  ): AffinityFilter {
    const affinityTerms = pod.requiredAffinityTerms.map((term) => new IncomingTerm(term, namespaces));
    const antiAffinityTerms = pod.requiredAntiAffinityTerms.map((term) => new IncomingTerm(term, namespaces));
    const keys = new Set(affinityTerms.map(({ topologyKey }) => topologyKey));
    const affinity = [...keys].map((key) => countMatching(cache, affinityTerms, key));
    const antiAffinity = antiAffinityTerms.map((term) => countMatching(cache, [term], term.topologyKey));
    const incoming: Incoming = {
      pod,
      namespaceLabels: namespaces.labels(pod.pod.metadata.namespace),
      affinityTerms,
      antiAffinityTerms,
      isSelfAffine: matchesAll(affinityTerms, pod.pod),
      affinityTotal: affinity.reduce((sum, { total }) => sum + total, 0),
    };
    return new AffinityFilter(
      incoming,
      TopologyCounts.of(affinity),
      TopologyCounts.of(antiAffinity),
      TopologyCounts.of(existing),
    );
  }

  clone(): AffinityFilter {
    const copyOf = (counts: readonly TopologyCounts[]) => counts.map((one) => one.clone());
    return new AffinityFilter(
      this.#incoming,
      copyOf(this.#affinity),
      copyOf(this.#antiAffinity),
      copyOf(this.#existing),
    );
  }

  /** Updates the counts when another pod is added to the node (1) or removed (-1). */
  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { pod, namespaceLabels, affinityTerms, antiAffinityTerms } = this.#incoming;
    for (const term of other.requiredAntiAffinityTerms)
      if (termMatches(term, pod.pod, namespaceLabels)) findOrAdd(this.#existing, term.topologyKey).change(node, by);
    if (matchesAll(affinityTerms, other.pod)) for (const counts of this.#affinity) counts.change(node, by);
    for (const term of antiAffinityTerms)
      if (term.matches(other.pod))
        for (const counts of this.#antiAffinity) if (counts.topologyKey === term.topologyKey) counts.change(node, by);
  }

  /** Returns the violated rule; undefined when the pod may run on the node. */
  conflict(row: number, node: NodeInfo): Conflict | undefined {
    if (!this.#isNearEnough(row, node)) return 'affinity';
    if (isAnyAt(this.#antiAffinity, row, node)) return 'antiAffinity';
    if (isAnyAt(this.#existing, row, node)) return 'existingAntiAffinity';
    return undefined;
  }

  #isNearEnough(row: number, node: NodeInfo): boolean {
    let arePodsThere = true;
    for (const counts of this.#affinity) {
      if (!counts.hasDomain(node)) return false;
      if (counts.at(row, node) <= 0) arePodsThere = false;
    }
    // The first pod of a group with affinity to itself cannot find a matching pod.
    return arePodsThere || (this.#incoming.isSelfAffine && this.#isNobodyAnywhere());
  }

  #isNobodyAnywhere(): boolean {
    let total = this.#incoming.affinityTotal;
    for (const counts of this.#affinity) total += counts.changed;
    return total === 0;
  }
}

function isAnyAt(counts: readonly TopologyCounts[], row: number, node: NodeInfo): boolean {
  for (const one of counts) if (one.at(row, node) > 0) return true;
  return false;
}
