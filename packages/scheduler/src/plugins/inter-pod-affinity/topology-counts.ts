import { ownEntry } from '@coxswain/apimachinery/json';
import type { NodeInfo } from '../../framework/node-info.ts';

interface CountSource {
  readonly index: { readonly topologyKey: string };
  at(row: number): number;
}

/** The count of relevant pods in a node's domain of one topology key, including hypothetical changes. */
export class TopologyCounts {
  readonly topologyKey: string;
  readonly #sources: CountSource[] = [];
  /** Pods added or removed in a trial, by value of the label. */
  #changes: Map<string, number> | undefined;

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  /** Groups the sources by topology key. */
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

  /** Records that a relevant pod is added to the node (1) or removed (-1). */
  change(node: NodeInfo, by: 1 | -1): void {
    const value = this.#valueOf(node);
    if (value === undefined) return;
    this.#changes ??= new Map();
    this.#changes.set(value, (this.#changes.get(value) ?? 0) + by);
  }

  /** The sum of all recorded changes. */
  get changed(): number {
    let sum = 0;
    for (const change of this.#changes?.values() ?? []) sum += change;
    return sum;
  }

  #valueOf({ node }: NodeInfo): string | undefined {
    return ownEntry(node?.metadata.labels, this.topologyKey);
  }
}

/** Returns the counts of the topology key, added if missing. */
export function findOrAdd(counts: TopologyCounts[], topologyKey: string): TopologyCounts {
  const known = counts.find((one) => one.topologyKey === topologyKey);
  if (known) return known;
  const added = new TopologyCounts(topologyKey);
  counts.push(added);
  return added;
}
