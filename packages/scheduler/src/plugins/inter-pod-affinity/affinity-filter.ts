import type { Labels } from '@coxswain/apimachinery/labels';
import { termMatches } from '../../framework/affinity-term.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import type { CountsCache } from '../../topology/counts-cache.ts';
import type { ExistingTerm } from './existing-terms.ts';
import { countMatching, IncomingTerm, matchesAll } from './incoming-terms.ts';
import type { Namespaces } from './namespaces.ts';
import { findOrAdd, TopologyCounts } from './topology-counts.ts';

/** What keeps a pod away from a node. */
export type Conflict = 'affinity' | 'antiAffinity' | 'existingAntiAffinity';

/** What does not change in a trial. */
interface Incoming {
  readonly pod: PodInfo;
  readonly namespaceLabels: Labels | undefined;
  readonly affinityTerms: readonly IncomingTerm[];
  readonly antiAffinityTerms: readonly IncomingTerm[];
  /** Whether the pod is one of those that all its affinity terms are about. */
  readonly isSelfAffine: boolean;
  /** How many pods the affinity terms are about. */
  readonly affinityTotal: number;
}

/** Whether a pod may be on a node as its required terms, and those of pods that are there, have it. */
export class AffinityFilter {
  readonly #incoming: Incoming;
  /** Pods that all of the affinity terms are about. */
  readonly #affinity: readonly TopologyCounts[];
  /** Pods that the anti-affinity terms are about. */
  readonly #antiAffinity: readonly TopologyCounts[];
  /** Pods with anti-affinity to this one. */
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

  /** For a pod that the terms `existing` of others are about. */
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

  /** Another pod comes to the node (1) or goes (-1). */
  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { pod, namespaceLabels, affinityTerms, antiAffinityTerms } = this.#incoming;
    for (const term of other.requiredAntiAffinityTerms)
      if (termMatches(term, pod.pod, namespaceLabels)) findOrAdd(this.#existing, term.topologyKey).change(node, by);
    if (matchesAll(affinityTerms, other.pod)) for (const counts of this.#affinity) counts.change(node, by);
    for (const term of antiAffinityTerms)
      if (term.matches(other.pod))
        for (const counts of this.#antiAffinity) if (counts.topologyKey === term.topologyKey) counts.change(node, by);
  }

  /** Undefined when nothing does. */
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
    // The first of pods that want to be together has nobody to be with.
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
