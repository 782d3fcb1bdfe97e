import type { NodeInfo } from '../framework/node-info.ts';
import { RowVersions } from '../framework/row-versions.ts';
import type { Snapshot } from '../framework/snapshot.ts';

/** The cache's nodes as they were when a cycle began. Only the cache changes it, between cycles. */
export class CachedSnapshot implements Snapshot {
  readonly nodes: NodeInfo[] = [];
  readonly versions = new RowVersions();
  /** Where in `nodes`. */
  readonly #index = new Map<string, number>();
  readonly #byName = new Map<string, NodeInfo>();
  /** How many nodes have pods that use a claim. */
  readonly #claims = new Map<string, number>();
  /** Undefined after a change of a node that is, or was, in one of them. */
  #withAffinity: readonly NodeInfo[] | undefined;
  #withRequiredAntiAffinity: readonly NodeInfo[] | undefined;

  get nodesWithAffinity(): readonly NodeInfo[] {
    this.#withAffinity ??= this.nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0);
    return this.#withAffinity;
  }

  get nodesWithRequiredAntiAffinity(): readonly NodeInfo[] {
    this.#withRequiredAntiAffinity ??= this.nodes.filter(
      ({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0,
    );
    return this.#withRequiredAntiAffinity;
  }

  get(nodeName: string): NodeInfo | undefined {
    return this.#byName.get(nodeName);
  }

  isClaimUsed(key: string): boolean {
    return this.#claims.has(key);
  }

  /** Puts a node in the place of what it was; undefined: it is gone. `arrange` has to follow where nodes come or go. */
  set(name: string, info: NodeInfo | undefined): void {
    const before = this.#byName.get(name);
    if (before) this.#forget(before);
    if (info) {
      this.#byName.set(name, info);
      const index = this.#index.get(name);
      if (index !== undefined) this.#put(index, info);
      for (const claim of info.pvcRefCounts.keys()) this.#claims.set(claim, (this.#claims.get(claim) ?? 0) + 1);
      this.#touchLists(info);
    } else {
      this.#byName.delete(name);
    }
  }

  /** Lists the nodes anew, in that order. */
  arrange(names: readonly string[]): void {
    this.#index.clear();
    this.#withAffinity = undefined;
    this.#withRequiredAntiAffinity = undefined;
    for (const [row, name] of names.entries()) {
      const info = this.#byName.get(name);
      if (!info) throw new Error(`bug: node ${name} is listed but not known`);
      this.#index.set(name, row);
      if (this.nodes[row] !== info) this.#put(row, info);
    }
    this.nodes.length = names.length;
  }

  /** Other pods were promised a place on the node. */
  nominationsChanged(name: string): void {
    const row = this.#index.get(name);
    if (row !== undefined) this.versions.changed(row);
  }

  #put(row: number, info: NodeInfo): void {
    this.nodes[row] = info;
    info.row = row;
    this.versions.changed(row);
  }

  #forget(info: NodeInfo): void {
    for (const claim of info.pvcRefCounts.keys()) {
      const count = (this.#claims.get(claim) ?? 0) - 1;
      if (count > 0) this.#claims.set(claim, count);
      else this.#claims.delete(claim);
    }
    this.#touchLists(info);
  }

  #touchLists({ podsWithAffinity, podsWithRequiredAntiAffinity }: NodeInfo): void {
    if (podsWithAffinity.length > 0) this.#withAffinity = undefined;
    if (podsWithRequiredAntiAffinity.length > 0) this.#withRequiredAntiAffinity = undefined;
  }
}
