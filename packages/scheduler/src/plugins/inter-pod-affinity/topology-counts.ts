import { ownEntry } from '@coxswain/apimachinery/json';
import type { NodeInfo } from '../../framework/node-info.ts';

interface CountSource {
  readonly index: { readonly topologyKey: string };
  at(row: number): number;
}

/** How many pods matter in the domain of a node, for one topology key; also if some pods came or went. */
export class TopologyCounts {
  readonly topologyKey: string;
  readonly #sources: CountSource[] = [];
  /** Pods that came or went on trial, by the value of the label. */
  #changes: Map<string, number> | undefined;

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  /** All of these, one for each topology key. */
  static of(sources: readonly CountSource[]): TopologyCounts[] {
    const counts: TopologyCounts[] = [];
    for (const source of sources) findOrAdd(counts, source.index.topologyKey).#sources.push(source);
    return counts;
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts(this.topologyKey);
    copy.#sources.push(...this.#sources);
    if (this.#changes) copy.#changes = new Map(this.#changes);
    return copy;
  }

  at(row: number, node: NodeInfo): number {
    let count = 0;
    for (const source of this.#sources) count += source.at(row);
    const changed = this.#changes && this.#valueOf(node);
    return changed === undefined ? count : count + (this.#changes?.get(changed) ?? 0);
  }

  hasDomain(node: NodeInfo): boolean {
    return this.#valueOf(node) !== undefined;
  }

  /** A pod that matters comes to the node (1) or goes (-1). */
  change(node: NodeInfo, by: 1 | -1): void {
    const value = this.#valueOf(node);
    if (value === undefined) return;
    this.#changes ??= new Map();
    this.#changes.set(value, (this.#changes.get(value) ?? 0) + by);
  }

  /** How many pods came on trial, less those that went. */
  get changed(): number {
    let sum = 0;
    for (const change of this.#changes?.values() ?? []) sum += change;
    return sum;
  }

  #valueOf({ node }: NodeInfo): string | undefined {
    return ownEntry(node?.metadata.labels, this.topologyKey);
  }
}

/** The one of that topology key. */
export function findOrAdd(counts: TopologyCounts[], topologyKey: string): TopologyCounts {
  const known = counts.find((one) => one.topologyKey === topologyKey);
  if (known) return known;
  const added = new TopologyCounts(topologyKey);
  counts.push(added);
  return added;
}
