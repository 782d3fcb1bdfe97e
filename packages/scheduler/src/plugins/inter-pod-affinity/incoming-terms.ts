import type { Pod } from '@coxswain/api/core/v1';
import type { AffinityTerm } from '../../framework/affinity-term.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { CountsCache } from '../../topology/counts-cache.ts';
import type { DomainCounts } from '../../topology/domain-counts.ts';
import type { Namespaces } from './namespaces.ts';

/** A term of the pod to be scheduled, with its namespaces resolved. */
export class IncomingTerm {
  readonly topologyKey: string;
  /** Identifies everything `matches` depends on: terms with the same key match the same pods. */
  readonly key: string;
  readonly #namespaces: ReadonlySet<string> | undefined;
  readonly #selector: AffinityTerm['selector'];

  constructor(term: AffinityTerm, namespaces: Namespaces) {
    this.topologyKey = term.topologyKey;
    this.#selector = term.selector;
    this.#namespaces = namespaces.of(term);
    const isOfNothing = term.selector.requirements() === undefined;
    const names = this.#namespaces ? [...this.#namespaces].sort().join() : '*';
    this.key = isOfNothing ? 'nothing' : `${names}:${term.selector}`;
  }

  /** Whether the term matches the other pod. */
  matches({ metadata }: Pod): boolean {
    if (this.#namespaces && !this.#namespaces.has(metadata.namespace ?? '')) return false;
    return this.#selector.matches(metadata.labels);
  }
}

/** Whether the pod matches all terms. False without terms. */
export const matchesAll = (terms: readonly IncomingTerm[], pod: Pod): boolean =>
  terms.length > 0 && terms.every((term) => term.matches(pod));

/** Counts the pods that match all terms, by domain of the topology key. */
export function countMatching(cache: CountsCache, terms: readonly IncomingTerm[], topologyKey: string): DomainCounts {
  const key = terms.map((term) => term.key).join('\n');
  return cache.get(key, topologyKey, () => ({ pods }: NodeInfo): number => {
    let count = 0;
    for (const { pod } of pods) if (matchesAll(terms, pod)) count++;
    return count;
  });
}
