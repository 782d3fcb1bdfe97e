import type { NodeInfo } from './node-info.ts';
import type { Snapshot } from './snapshot.ts';

/** Cached results about nodes for the pods of one signature. A result is valid until the node or its nominated pods change. */
export class RememberedNodes<T extends NonNullable<unknown>> {
  /** By row of the snapshot: the cached value, and the version of the node that it is for. */
  readonly #values: (T | undefined)[] = [];
  readonly #versions: number[] = [];
  /** Same rows: 1 when the value is settled. Kept separately because examining thousands of values is slow. */
  readonly #settled: number[] = [];
  /** The rows below `#values.length` without a value. */
  readonly #gaps = new Set<number>();
  readonly #onForget: (value: T) => void;
  readonly #isSettled: (value: T) => boolean;
  #snapshot: Snapshot | undefined;
  /** The version of the snapshot up to which changes have been processed. */
  #synced = 0;
  /** The row of the node that the current pod is nominated to. */
  #own: number | undefined;

  /** `isSettled` returns whether nodes with this value can be skipped by `skipSettled`. `onForget` is called for each dropped value. */
  constructor({
    onForget = () => {},
    isSettled = () => false,
  }: {
    readonly onForget?: (value: T) => void;
    readonly isSettled?: (value: T) => boolean;
  } = {}) {
    this.#onForget = onForget;
    this.#isSettled = isSettled;
  }

  /**
   * Drops values that may be outdated. `own` is the node that the pod is nominated to, if any. A pod's own nomination does not count
   * against itself but does against other pods of the signature, so the value of that node is valid for this pod only.
   */
  sync(snapshot: Snapshot, own: string | undefined): void {
    const { versions, nodes } = snapshot;
    const changed = this.#snapshot === snapshot ? versions.since(this.#synced) : undefined;
    this.#snapshot = snapshot;
    this.#synced = versions.last;
    if (this.#own !== undefined) this.#forget(this.#own);
    this.#own = own === undefined ? undefined : snapshot.get(own)?.row;
    if (this.#own !== undefined) this.#forget(this.#own);
    // Usually a few of thousands of nodes have changed since the last pod.
    if (changed) for (const row of changed) this.#check(row);
    else for (let row = 0; row < this.#values.length; row++) this.#check(row);
    this.#cut(nodes.length);
  }

  /** The number of nodes with a value. */
  get known(): number {
    return this.#values.length - this.#gaps.size;
  }

  /** Undefined when there is no valid value. */
  get({ row }: NodeInfo): T | undefined {
    return this.#values[row];
  }

  /** Like `get`, by row of the snapshot. */
  ofRow(row: number): T | undefined {
    return this.#values[row];
  }

  /** Returns the first row from `from` on whose value is missing or not settled; `to` when there is none before it. */
  skipSettled(from: number, to: number): number {
    let row = from;
    while (row < to && this.#settled[row] === 1) row++;
    return row;
  }

  /** The node must be in the snapshot. */
  set({ row }: NodeInfo, value: T): void {
    this.#forget(row);
    // Holes would make the arrays slow.
    while (this.#values.length <= row) {
      this.#gaps.add(this.#values.length);
      this.#values.push(undefined);
      this.#versions.push(0);
      this.#settled.push(0);
    }
    this.#values[row] = value;
    this.#settled[row] = this.#isSettled(value) ? 1 : 0;
    this.#versions[row] = this.#snapshot?.versions.of(row) ?? 0;
    this.#gaps.delete(row);
  }

  /** The nodes without a value, in order; undefined when there are more than `limit`. */
  unknown(limit: number): readonly NodeInfo[] | undefined {
    const nodes = this.#snapshot?.nodes ?? [];
    if (nodes.length - this.known > limit) return undefined;
    const gaps = [...this.#gaps].sort((a, b) => a - b);
    return [...gaps.map((row) => nodes[row]!), ...nodes.slice(this.#values.length)];
  }

  /** Drops the row's value if it is outdated. */
  #check(row: number): void {
    if (row < this.#values.length && this.#versions[row] !== this.#snapshot?.versions.of(row)) this.#forget(row);
  }

  #forget(row: number): void {
    const value = this.#values[row];
    if (value === undefined) return;
    this.#values[row] = undefined;
    this.#settled[row] = 0;
    this.#gaps.add(row);
    this.#onForget(value);
  }

  /** Drops the rows from `rows` on, which no longer exist. */
  #cut(rows: number): void {
    while (this.#values.length > rows) {
      const row = this.#values.length - 1;
      this.#forget(row);
      this.#gaps.delete(row);
      this.#values.pop();
      this.#versions.pop();
      this.#settled.pop();
    }
  }
}
