import type { Pod } from '@coxswain/api/core/v1';
import { ownEntry } from '@coxswain/apimachinery/json';
import type { Labels } from '@coxswain/apimachinery/labels';
import { type AffinityTerm, termMatches } from '../../framework/affinity-term.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { DomainIndex } from '../../topology/domain-index.ts';
import type { NodeTable } from '../../topology/node-table.ts';

/** Calls `visit` for each term of the pods on a node, with its weight. */
export type VisitTerms = (node: NodeInfo, visit: (term: AffinityTerm, weight: number) => void) => void;

interface Share {
  readonly term: ExistingTerm;
  readonly domain: number;
  readonly weight: number;
}

/** A term that pods on nodes have, with the sum of its weights in each domain of its topology key. */
export class ExistingTerm {
  readonly key: string;
  readonly term: AffinityTerm;
  readonly index: DomainIndex;
  readonly #sums = new Map<number, number>();
  /** The number of shares. */
  uses = 0;

  constructor(key: string, term: AffinityTerm, index: DomainIndex) {
    this.key = key;
    this.term = term;
    this.index = index;
  }

  /** The sum in the domain of that row's node. */
  at(row: number): number {
    return this.#sums.get(this.index.domain(row)) ?? 0;
  }

  add(domain: number, weight: number): void {
    const sum = (this.#sums.get(domain) ?? 0) + weight;
    if (sum === 0) this.#sums.delete(domain);
    else this.#sums.set(domain, sum);
  }
}

/**
 * The distinct terms of pods that are on nodes. Pods of a workload have the same terms, so only few terms have to be matched against a pod,
 * however many pods have them.
 */
export class ExistingTerms {
  readonly #table: NodeTable;
  readonly #visitTerms: VisitTerms;
  #version = -1;
  /** Contains a term if and only if some row has a share in it. */
  readonly #terms = new Map<string, ExistingTerm>();
  /** By row. */
  readonly #shares: (readonly Share[])[] = [];
  /** Cached by term object: a pod's terms stay the same while its node changes many times. */
  readonly #keys = new WeakMap<AffinityTerm, string>();

  constructor(table: NodeTable, visitTerms: VisitTerms) {
    this.#table = table;
    this.#visitTerms = visitTerms;
  }

  /** Whether there were no terms at the last call of `matching`. */
  get isEmpty(): boolean {
    return this.#terms.size === 0;
  }

  /** Returns the terms that match the pod, as of the table's last `sync`. */
  matching(pod: Pod, namespaceLabels: Labels | undefined): ExistingTerm[] {
    this.#sync();
    const matching: ExistingTerm[] = [];
    for (const existing of this.#terms.values())
      if (termMatches(existing.term, pod, namespaceLabels)) matching.push(existing);
    return matching;
  }

  #sync(): void {
    this.#table.forEachChanged(this.#version, (row, node) => {
      const before = this.#shares[row] ?? [];
      const after = node ? this.#sharesOf(row, node) : [];
      for (const { term, domain, weight } of after) term.add(domain, weight);
      for (const share of before) this.#drop(share);
      this.#shares[row] = after;
    });
    this.#version = this.#table.version;
  }

  #sharesOf(row: number, node: NodeInfo): readonly Share[] {
    const shares: Share[] = [];
    const labels = node.node?.metadata.labels;
    this.#visitTerms(node, (term, weight) => {
      if (ownEntry(labels, term.topologyKey) === undefined) return;
      const existing = this.#find(term);
      existing.uses++;
      shares.push({ term: existing, domain: existing.index.domain(row), weight });
    });
    return shares;
  }

  #drop({ term, domain, weight }: Share): void {
    term.add(domain, -weight);
    if (--term.uses > 0) return;
    this.#terms.delete(term.key);
    this.#table.release(term.index);
  }

  #find(term: AffinityTerm): ExistingTerm {
    const key = this.#keys.get(term) ?? termKey(term);
    this.#keys.set(term, key);
    const known = this.#terms.get(key);
    if (known) return known;
    const existing = new ExistingTerm(key, term, this.#table.acquire(term.topologyKey));
    this.#terms.set(key, existing);
    return existing;
  }
}

/** Terms with the same key match the same pods. */
function termKey({ namespaces, namespaceSelector, selector, topologyKey }: AffinityTerm): string {
  const parts = [selector, namespaceSelector].map((s) => (s.requirements() === undefined ? '-' : `+${s}`));
  return [topologyKey, [...namespaces].sort().join(), ...parts].join('\n');
}
