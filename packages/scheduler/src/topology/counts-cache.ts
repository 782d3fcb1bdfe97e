import { type CountPods, DomainCounts } from './domain-counts.ts';
import type { NodeTable } from './node-table.ts';

/** Enough for the workloads that are rolled out at the same time. */
const maxCounts = 1024;
/** Limit on the rows of all counts together, at 16 bytes each: 512 counts of 5,000 nodes. */
const maxRows = 2_560_000;

/** Keeps counts between pods that need the same ones. The least recently used are evicted first. */
export class CountsCache {
  readonly #table: NodeTable;
  readonly #limit: number;
  readonly #counts = new Map<string, DomainCounts>();

  constructor(table: NodeTable, limit: number = maxCounts) {
    this.#table = table;
    this.#limit = limit;
  }

  /**
   * Returns the counts of a topology key as of the table's last `sync`. `key` must identify everything that `countPods` depends on besides
   * the node. The result is valid for the current cycle.
   */
  get(key: string, topologyKey: string, countPods: () => CountPods): DomainCounts {
    const id = `${topologyKey}\n${key}`;
    const counts = this.#counts.get(id) ?? new DomainCounts(this.#table, topologyKey, countPods());
    this.#counts.delete(id);
    this.#counts.set(id, counts);
    if (this.#counts.size > Math.min(this.#limit, maxRows / this.#table.length)) this.#dropOldest();
    counts.sync();
    return counts;
  }

  #dropOldest(): void {
    for (const [id, counts] of this.#counts) {
      counts.close();
      this.#counts.delete(id);
      return;
    }
  }
}
