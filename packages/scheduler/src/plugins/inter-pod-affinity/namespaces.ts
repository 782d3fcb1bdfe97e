import type { Pod } from '@coxswain/api/core/v1';
import type { Labels } from '@coxswain/apimachinery/labels';
import type { SharedInformerFactory } from '@coxswain/client';
import { type AffinityTerm, termMatches } from '../../framework/affinity-term.ts';

/** The cluster's namespaces, for evaluating namespace selectors. */
export class Namespaces {
  readonly #informer;

  constructor({ core }: SharedInformerFactory) {
    this.#informer = core.v1.namespaces.informer;
  }

  /** Undefined for an unknown namespace. */
  labels(name = ''): Labels | undefined {
    return this.#informer.indexer.getByKey(name)?.metadata.labels;
  }

  /** The namespaces that the term selects; undefined for all. */
  of({ namespaces, namespaceSelector }: AffinityTerm): ReadonlySet<string> | undefined {
    // As upstream, the selector is also evaluated without labels. So a selector for missing labels (NotIn, DoesNotExist) selects all
    // namespaces, like an empty one.
    if (namespaceSelector.matches(undefined)) return undefined;
    if (namespaceSelector.requirements() === undefined) return namespaces;
    const names = new Set(namespaces);
    for (const { metadata } of this.#informer.indexer.values())
      if (namespaceSelector.matches(metadata.labels)) names.add(metadata.name ?? '');
    return names;
  }

  /** Whether a term of a waiting pod matches the other pod. */
  matches(term: AffinityTerm, pod: Pod): boolean {
    return termMatches(term, pod, undefined) || termMatches(term, pod, this.labels(pod.metadata.namespace));
  }
}
