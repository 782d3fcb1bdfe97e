import { ownEntry } from '@coxswain/apimachinery/json';
import type { NodeInfo } from '../framework/node-info.ts';
import { DomainIndex } from './domain-index.ts';

interface UsedIndex {
  readonly index: DomainIndex;
  users: number;
}

/**
 * The nodes of the last snapshot by row, and which of them changed when. What is counted for all nodes is kept from one pod to
 * the next, and only the rows that changed since are counted again: one or two, where walking all pods of all nodes for every
 * pod would be the whole cost of scheduling it.
 *
 * A row stands for whatever node is there. So nodes that come, go or change places are nothing but rows that changed.
 */
export class NodeTable {
  #version = 0;
  /** By row. Rows beyond the last node stay, without a node. */
  readonly #nodes: (NodeInfo | undefined)[] = [];
  readonly #generations: number[] = [];
  readonly #names: string[] = [];
  readonly #changedAt: number[] = [];
  /** The row of every node that has one. */
  readonly #rows = new Map<string, number>();
  readonly #indexes = new Map<string, UsedIndex>();

  /** Grows whenever any row changes. */
  get version(): number {
    return this.#version;
  }

  get length(): number {
    return this.#nodes.length;
  }

  node(row: number): NodeInfo | undefined {
    return this.#nodes[row];
  }

  /** Throws for a node that was not in the last snapshot. */
  row(nodeName: string): number {
    const row = this.#rows.get(nodeName);
    if (row === undefined) throw new Error(`the node ${nodeName} is not in the snapshot`);
    return row;
  }

  /** Takes over what changed since the last call. */
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

  /** Calls back for each row that changed after that version. */
  forEachChanged(version: number, visit: (row: number, node: NodeInfo | undefined) => void): void {
    if (version === this.#version) return;
    const changedAt = this.#changedAt;
    for (let row = 0; row < changedAt.length; row++) {
      if (changedAt[row]! > version) visit(row, this.#nodes[row]);
    }
  }

  /** The domains of a topology key, kept up until it was released as often as it was acquired. */
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
    // It may have got another row in the meantime.
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
