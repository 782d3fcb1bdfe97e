import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector, type Selector } from '@coxswain/apimachinery/labels';

/** A parsed term of pod affinity or anti-affinity. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  readonly selector: Selector;
  readonly topologyKey: string;
  readonly namespaceSelector: Selector;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** Returns whether the term selects this pod. `namespaceLabels` are the labels of the pod's namespace. */
export function termMatches(
  { namespaces, namespaceSelector, selector }: AffinityTerm,
  { metadata }: Pod,
  namespaceLabels: Readonly<Record<string, string>> | undefined,
): boolean {
  return (
    (namespaces.has(metadata.namespace ?? '') || namespaceSelector.matches(namespaceLabels)) &&
    selector.matches(metadata.labels)
  );
}

/** Parses a term of the pod. Without namespaces and namespace selector it applies to the pod's own namespace. */
export function affinityTerm(
  pod: Pod,
  { labelSelector, namespaces, namespaceSelector, topologyKey }: PodAffinityTerm,
): AffinityTerm {
  const isOwn = !namespaces?.length && !namespaceSelector;
  return {
    selector: labelSelectorAsSelector(labelSelector),
    namespaces: new Set(isOwn ? [pod.metadata.namespace ?? ''] : namespaces),
    namespaceSelector: labelSelectorAsSelector(namespaceSelector),
    topologyKey,
  };
}

export const weightedAffinityTerm = (
  pod: Pod,
  { weight, podAffinityTerm }: WeightedPodAffinityTerm,
): WeightedAffinityTerm => ({ ...affinityTerm(pod, podAffinityTerm), weight });
