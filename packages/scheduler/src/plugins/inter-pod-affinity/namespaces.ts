import type { Pod } from '@coxswain/api/core/v1';
import type { Labels } from '@coxswain/apimachinery/labels';
import type { SharedInformerFactory } from '@coxswain/client';
import { type AffinityTerm, termMatches } from '../../framework/affinity-term.ts';

/** The cluster's namespaces, by which terms select other pods. */
export class Namespaces {
  readonly #informer;

  constructor({ core }: SharedInformerFactory) {
    this.#informer = core.v1.namespaces.informer;
  }

  /** None for a namespace that is not known. */
  labels(name = ''): Labels | undefined {
    return this.#informer.indexer.getByKey(name)?.metadata.labels;
  }

  /** The namespaces that the term is about; undefined when it is about all. */
  of({ namespaces, namespaceSelector }: AffinityTerm): ReadonlySet<string> | undefined {
    // Upstream asks without labels too: so a selector for what is not there (NotIn, DoesNotExist) is about all namespaces, as
    // an empty one is.
    if (namespaceSelector.matches(undefined)) return undefined;
    if (namespaceSelector.requirements() === undefined) return namespaces;
    const names = new Set(namespaces);
    for (const { metadata } of this.#informer.indexer.values())
      if (namespaceSelector.matches(metadata.labels)) names.add(metadata.name ?? '');
    return names;
  }

  /** Whether a term of a pod that waits is about that other pod. */
  matches(term: AffinityTerm, pod: Pod): boolean {
    return termMatches(term, pod, undefined) || termMatches(term, pod, this.labels(pod.metadata.namespace));
  }
}
