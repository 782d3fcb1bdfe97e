import type { ClusterEventWithHint } from '../../framework/cluster-event.ts';
import { type CycleState, StateKey } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status, skip } from '../../framework/status.ts';
import { CountsCache } from '../../topology/counts-cache.ts';
import { NodeTable } from '../../topology/node-table.ts';
import { AffinityFilter, type Conflict } from './affinity-filter.ts';
import { affinityEvents } from './affinity-hints.ts';
import { AffinityScore, normalizeAffinityScores, weightedTerms } from './affinity-score.ts';
import { type ExistingTerm, ExistingTerms } from './existing-terms.ts';
import type { InterPodAffinityArgs } from './inter-pod-affinity-args.ts';
import { Namespaces } from './namespaces.ts';

export const name = 'InterPodAffinity';

const filterKey = new StateKey<AffinityFilter>(`PreFilter${name}`, (filter) => filter.clone());
const scoreKey = new StateKey<AffinityScore>(`PreScore${name}`);

/** Schedules pods by inter-pod affinity and anti-affinity, of the pod and of existing pods. */
export class InterPodAffinity implements Plugin {
  readonly name: string = name;
  readonly #handle: Handle;
  readonly #ignoresPreferredOfExisting: boolean;
  readonly #namespaces: Namespaces;
  readonly #table = new NodeTable();
  readonly #counts = new CountsCache(this.#table);
  readonly #antiAffinity: ExistingTerms;
  readonly #preferences: ExistingTerms;
  readonly #conflicts: Readonly<Record<Conflict, Status>> = {
    affinity: Status.unresolvable("node(s) didn't match pod affinity rules"),
    antiAffinity: Status.unschedulable("node(s) didn't match pod anti-affinity rules"),
    existingAntiAffinity: Status.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules"),
  };

  constructor({ hardPodAffinityWeight, ignorePreferredTermsOfExistingPods }: InterPodAffinityArgs, handle: Handle) {
    this.#handle = handle;
    this.#ignoresPreferredOfExisting = ignorePreferredTermsOfExistingPods;
    this.#namespaces = new Namespaces(handle.informers);
    this.#antiAffinity = new ExistingTerms(this.#table, ({ podsWithRequiredAntiAffinity }, visit) => {
      for (const { requiredAntiAffinityTerms } of podsWithRequiredAntiAffinity)
        for (const term of requiredAntiAffinityTerms) visit(term, 1);
    });
    this.#preferences = new ExistingTerms(this.#table, ({ podsWithAffinity }, visit) => {
      for (const { requiredAffinityTerms, preferredAffinityTerms, preferredAntiAffinityTerms } of podsWithAffinity) {
        if (hardPodAffinityWeight > 0) for (const term of requiredAffinityTerms) visit(term, hardPodAffinityWeight);
        for (const term of preferredAffinityTerms) visit(term, term.weight);
        for (const term of preferredAntiAffinityTerms) visit(term, -term.weight);
      }
    });
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return affinityEvents(this.#namespaces);
  }

  preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    const hasTerms = pod.requiredAffinityTerms.length + pod.requiredAntiAffinityTerms.length > 0;
    // The snapshot's list is rebuilt after each change, so it is not accessed when there probably are such nodes.
    const hasExisting = !this.#antiAffinity.isEmpty || this.#handle.snapshot().nodesWithRequiredAntiAffinity.length > 0;
    if (!hasTerms && !hasExisting) return skip;
    this.#table.sync(nodes);
    const existing = hasExisting ? this.#matching(this.#antiAffinity, pod) : [];
    if (!hasTerms && existing.length === 0) return skip;
    state.set(filterKey, AffinityFilter.of(pod, this.#counts, this.#namespaces, existing));
    return undefined;
  }

  addPod(state: CycleState, _pod: PodInfo, added: PodInfo, node: NodeInfo): undefined {
    state.get(filterKey).change(added, node, 1);
  }

  removePod(state: CycleState, _pod: PodInfo, removed: PodInfo, node: NodeInfo): undefined {
    state.get(filterKey).change(removed, node, -1);
  }

  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const conflict = state.get(filterKey).conflict(this.#table.row(node.name), node);
    return conflict && this.#conflicts[conflict];
  }

  preScore(state: CycleState, pod: PodInfo): Status | undefined {
    const hasPreferences = pod.preferredAffinityTerms.length + pod.preferredAntiAffinityTerms.length > 0;
    const snapshot = this.#handle.snapshot();
    const hasExisting =
      !this.#preferences.isEmpty || !this.#antiAffinity.isEmpty || snapshot.nodesWithAffinity.length > 0;
    if (!hasPreferences && (this.#ignoresPreferredOfExisting || !hasExisting)) return skip;
    // The snapshot is the same as in `preFilter`.
    if (!state.find(filterKey)) this.#table.sync(snapshot.nodes);
    const existing = hasExisting ? this.#matching(this.#preferences, pod) : [];
    const terms = weightedTerms(pod, this.#counts, this.#namespaces, existing);
    if (terms.length === 0) return skip;
    state.set(scoreKey, new AffinityScore(this.#table, terms));
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return state.get(scoreKey).score(node);
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): undefined {
    normalizeAffinityScores(scores);
  }

  #matching(terms: ExistingTerms, { pod }: PodInfo): ExistingTerm[] {
    return terms.matching(pod, this.#namespaces.labels(pod.metadata.namespace));
  }
}
