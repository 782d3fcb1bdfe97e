import type { Node, Pod } from '@coxswain/api/core/v1';
import { ownEntry } from '@coxswain/apimachinery/json';
import type { AffinityTerm } from '../../framework/affinity-term.ts';
import { Action, type ClusterEventWithHint, type QueueingHint } from '../../framework/cluster-event.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import type { Namespaces } from './namespaces.ts';

/** The events that may make a pod schedulable that was rejected for pod affinity or anti-affinity. */
export function affinityEvents(namespaces: Namespaces): ClusterEventWithHint[] {
  const hints = new AffinityHints(namespaces);
  return [
    {
      event: { resource: 'Pod', action: Action.Add | Action.UpdatePodLabel | Action.Delete },
      hint: hintAbout<Pod>((pod, before, after) => hints.afterPodChange(pod, before, after)),
    },
    {
      event: { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
      hint: hintAbout<Node>((pod, before, after) => hints.afterNodeChange(pod, before, after)),
    },
  ];
}

class AffinityHints {
  readonly #namespaces: Namespaces;
  /** Caches parsed terms, since hints for waiting pods are called after many events. */
  readonly #infos = new WeakMap<Pod, PodInfo>();

  constructor(namespaces: Namespaces) {
    this.#namespaces = namespaces;
  }

  /**
   * Differs from upstream: one matching anti-affinity term is enough, where upstream requires all of them, and namespaces are selected by
   * their labels, which upstream ignores. Pods that upstream misses for these reasons wait for minutes.
   */
  afterPodChange(pod: Pod, before: Pod | undefined, after: Pod | undefined): QueueingHint {
    // Other pods may have had anti-affinity to its old labels.
    if (before && after && pod.metadata.uid === after.metadata.uid) return 'Queue';
    if ((before && !hasNode(before)) || (after && !hasNode(after))) return 'Skip';
    const { requiredAffinityTerms, requiredAntiAffinityTerms } = this.#infoOf(pod);
    const wants = (other: Pod): boolean =>
      requiredAffinityTerms.length > 0 && requiredAffinityTerms.every((term) => this.#namespaces.matches(term, other));
    if (after && wants(after) && !(before && wants(before))) return 'Queue';
    if (!before) return 'Skip';
    const isFree = (term: AffinityTerm): boolean =>
      this.#namespaces.matches(term, before) && !(after && this.#namespaces.matches(term, after));
    return queueIf(requiredAntiAffinityTerms.some(isFree) || (!after && this.#keptAway(pod, before)));
  }

  /**
   * Queues the pod when a node enters another domain, or leaves all domains where that helps anti-affinity.
   *
   * Differs from upstream: a pod without terms of its own was rejected by those of others, and any node may accept it. Upstream does not
   * queue it.
   */
  afterNodeChange(pod: Pod, before: Node | undefined, after: Node | undefined): QueueingHint {
    const { requiredAffinityTerms, requiredAntiAffinityTerms } = this.#infoOf(pod);
    if (requiredAffinityTerms.length + requiredAntiAffinityTerms.length === 0) return 'Queue';
    if (!before && requiredAntiAffinityTerms.length > 0) return 'Queue';
    const isMoved = ({ topologyKey }: AffinityTerm): boolean =>
      ownEntry(before?.metadata.labels, topologyKey) !== ownEntry(after?.metadata.labels, topologyKey);
    return queueIf(
      requiredAffinityTerms.some((term) => isMoved(term) && hasLabel(after, term)) ||
        requiredAntiAffinityTerms.some((term) => isMoved(term) && hasLabel(before, term)),
    );
  }

  /** Whether anti-affinity of the other pod matches this pod. */
  #keptAway(pod: Pod, other: Pod): boolean {
    return this.#infoOf(other).requiredAntiAffinityTerms.some((term) => this.#namespaces.matches(term, pod));
  }

  #infoOf(pod: Pod): PodInfo {
    const info = this.#infos.get(pod) ?? new PodInfo(pod);
    this.#infos.set(pod, info);
    return info;
  }
}

const hasNode = ({ spec, status }: Pod): boolean => !!(spec?.nodeName || status?.nominatedNodeName);

const hasLabel = (node: Node | undefined, { topologyKey }: AffinityTerm): boolean =>
  ownEntry(node?.metadata.labels, topologyKey) !== undefined;
