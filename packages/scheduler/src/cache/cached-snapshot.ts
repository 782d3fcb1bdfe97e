import type { NodeInfo } from '../framework/node-info.ts';
import { RowVersions } from '../framework/row-versions.ts';
import type { Snapshot } from '../framework/snapshot.ts';

/** The cache's nodes as of the start of a scheduling cycle. Only the cache changes it, between cycles. */
export class CachedSnapshot implements Snapshot {
  readonly nodes: NodeInfo[] = [];
  readonly versions = new RowVersions();
  /** By name: the index in `nodes`. */
  readonly #index = new Map<string, number>();
  readonly #byName = new Map<string, NodeInfo>();
  /** By claim (`namespace/name`): the number of nodes with pods that use it. Never 0. */
  readonly #claims = new Map<string, number>();
  /** Undefined after a change of a node that is or was in one of the two lists; rebuilt on access. */
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

  /** Adds or replaces a node; undefined removes it. After nodes were added or removed, `arrange` must be called. */
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

  /** Rebuilds the list of nodes in the given order. */
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

  /** Records that the nominated pods of the node have changed. */
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
