import type { NodeInfo } from '../framework/node-info.ts';
import type { DomainIndex } from './domain-index.ts';
import { grown } from './grown.ts';
import type { NodeTable } from './node-table.ts';

/** Returns the number of pods to count on the node; -1 when the node itself is not considered. */
export type CountPods = (node: NodeInfo) => number;

interface Fewest {
  /** The domain with the fewest pods; -1 when there is none. */
  readonly domain: number;
  readonly count: number;
  /** The count of the domain with the second fewest. */
  readonly nextCount: number;
}

const noChanges: ReadonlyMap<number, number> = new Map();

/** The number of selected pods in each domain of a topology key, as of the last `sync`. */
export class DomainCounts {
  readonly index: DomainIndex;
  readonly #table: NodeTable;
  readonly #countPods: CountPods;
  #version = -1;
  /** By row: its count, and its domain (-1: none). The sums below are over exactly these. */
  #rowCounts = new Int32Array();
  #rowDomains = new Int32Array();
  #counts = new Int32Array();
  /** By domain: the number of rows considered. */
  #rows = new Int32Array();
  #total = 0;
  #domains = 0;
  #fewest: Fewest | undefined;

  constructor(table: NodeTable, topologyKey: string, countPods: CountPods) {
    this.#table = table;
    this.index = table.acquire(topologyKey);
    this.#countPods = countPods;
  }

  /** The number of pods in all domains. */
  get total(): number {
    return this.#total;
  }

  /** The number of domains with at least one considered node. */
  get domains(): number {
    return this.#domains;
  }

  /** The number of pods in a domain. */
  count(domain: number): number {
    return this.#counts[domain] ?? 0;
  }

  /** The number of pods in the domain of that row's node. */
  at(row: number): number {
    const domain = this.index.domain(row);
    return domain < 0 ? 0 : this.count(domain);
  }

  /** The number of pods on that row's node alone; -1 when the node is not considered. */
  onNode(row: number): number {
    return this.#rowCounts[row] ?? -1;
  }

  /** The smallest count of any domain after applying `changes`, the differences by domain. */
  fewest(changes: ReadonlyMap<number, number> = noChanges): number {
    this.#fewest ??= this.#findFewest(noChanges);
    const { domain, count, nextCount } = this.#fewest;
    if (changes.size === 0) return count;
    if (changes.size > 1) return this.#findFewest(changes).count;
    const [[changed, change] = [-1, 0]] = changes;
    return Math.min(this.count(changed) + change, changed === domain ? nextCount : count);
  }

  /** Recounts the rows that have changed in the table. */
  sync(): void {
    const { version } = this.#table;
    if (version === this.#version) return;
    this.#rowCounts = grown(this.#rowCounts, this.#table.length, -1);
    this.#rowDomains = grown(this.#rowDomains, this.#table.length, -1);
    this.#counts = grown(this.#counts, this.index.capacity);
    this.#rows = grown(this.#rows, this.index.capacity);
    this.#table.forEachChanged(this.#version, this.#update);
    this.#version = version;
  }

  close(): void {
    this.#table.release(this.index);
  }

  readonly #update = (row: number, node: NodeInfo | undefined): void => {
    const before = this.#rowDomains[row]!;
    const domain = this.index.domain(row);
    const count = node ? this.#countPods(node) : -1;
    const after = count < 0 ? -1 : domain;
    if (before === after && this.#rowCounts[row] === count) return;
    if (before >= 0) this.#add(before, -1, -this.#rowCounts[row]!);
    if (after >= 0) this.#add(after, 1, count);
    this.#rowCounts[row] = count;
    this.#rowDomains[row] = after;
    this.#fewest = undefined;
  };

  #add(domain: number, rows: 1 | -1, count: number): void {
    this.#counts[domain]! += count;
    this.#total += count;
    const before = this.#rows[domain]!;
    this.#rows[domain] = before + rows;
    if (before === 0) this.#domains++;
    else if (before + rows === 0) this.#domains--;
  }

  #findFewest(changes: ReadonlyMap<number, number>): Fewest {
    let domain = -1;
    let count = Number.MAX_SAFE_INTEGER;
    let nextCount = count;
    for (let i = 0; i < this.#counts.length; i++) {
      if (this.#rows[i] === 0) continue;
      const other = this.#counts[i]! + (changes.size > 0 ? (changes.get(i) ?? 0) : 0);
      if (other < count) {
        nextCount = count;
        count = other;
        domain = i;
      } else if (other < nextCount) nextCount = other;
    }
    return { domain, count, nextCount };
  }
}
