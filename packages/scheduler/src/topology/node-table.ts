import { ownEntry } from '@coxswain/apimachinery/json';
import type { NodeInfo } from '../framework/node-info.ts';
import { DomainIndex } from './domain-index.ts';

interface UsedIndex {
  readonly index: DomainIndex;
  users: number;
}

/**
 * The nodes of the last snapshot by row, with the version of each row's last change. Counts over all nodes are kept from one pod to the
 * next, and only rows that have changed are recounted: usually one or two. Walking all pods of all nodes for every pod would dominate the
 * cost of scheduling.
 *
 * A row stands for whichever node is there. So added, removed and moved nodes are just changed rows.
 */
export class NodeTable {
  #version = 0;
  /** By row. Rows beyond the last node are kept, without a node. */
  readonly #nodes: (NodeInfo | undefined)[] = [];
  readonly #generations: number[] = [];
  readonly #names: string[] = [];
  readonly #changedAt: number[] = [];
  /** By node name: its row. */
  readonly #rows = new Map<string, number>();
  readonly #indexes = new Map<string, UsedIndex>();

  /** Increases whenever a row changes. */
  get version(): number {
    return this.#version;
  }

  get length(): number {
    return this.#nodes.length;
  }

  node(row: number): NodeInfo | undefined {
    return this.#nodes[row];
  }

  /** Throws an Error for a node that was not in the last snapshot. */
  row(nodeName: string): number {
    const row = this.#rows.get(nodeName);
    if (row === undefined) throw new Error(`the node ${nodeName} is not in the snapshot`);
    return row;
  }

  /** Updates the table from the nodes of a new snapshot. */
  sync(nodes: readonly NodeInfo[]): void {
    const next = this.#version + 1;
    const length = Math.max(nodes.length, this.#nodes.length);
    for (let row = 0; row < length; row++) {
      const node = nodes[row];
      if (node === this.#nodes[row] && (!node || node.generation === this.#generations[row])) continue;
      this.#set(row, node);
      this.#changedAt[row] = next;
      this.#version = next;
    }
  }

  /** Calls `visit` for each row that changed after that version. */
  forEachChanged(version: number, visit: (row: number, node: NodeInfo | undefined) => void): void {
    if (version === this.#version) return;
    const changedAt = this.#changedAt;
    for (let row = 0; row < changedAt.length; row++) {
      if (changedAt[row]! > version) visit(row, this.#nodes[row]);
    }
  }

  /** Returns the domains of a topology key. They are kept up to date until `release` was called as often as `acquire`. */
  acquire(topologyKey: string): DomainIndex {
    const used = this.#indexes.get(topologyKey);
    if (used) {
      used.users++;
      return used.index;
    }
    const index = new DomainIndex(topologyKey);
    this.#nodes.forEach((node, row) => {
      index.set(row, label(node, topologyKey));
    });
    this.#indexes.set(topologyKey, { index, users: 1 });
    return index;
  }

  release({ topologyKey }: DomainIndex): void {
    const used = this.#indexes.get(topologyKey);
    if (used && --used.users === 0) this.#indexes.delete(topologyKey);
  }

  #set(row: number, node: NodeInfo | undefined): void {
    const before = this.#names[row];
    // The node may have moved to another row meanwhile.
    if (before !== undefined && this.#rows.get(before) === row) this.#rows.delete(before);
    if (node) this.#rows.set(node.name, row);
    this.#names[row] = node?.name ?? '';
    this.#nodes[row] = node;
    this.#generations[row] = node?.generation ?? 0;
    for (const { index } of this.#indexes.values()) index.set(row, label(node, index.topologyKey));
  }
}

const label = (info: NodeInfo | undefined, key: string): string | undefined =>
  ownEntry(info?.node?.metadata.labels, key);
