import type { NodeInfo } from './node-info.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * What was found out about nodes for pods of one signature: it is remembered until the node changes, or the pods that were
 * promised a place there.
 */
export class RememberedNodes<T extends NonNullable<unknown>> {
  /** By row of the snapshot: what is known, and of which version of the node. */
  readonly #values: (T | undefined)[] = [];
  readonly #versions: number[] = [];
  /** The same rows: 1 where what is known settles it. To look at thousands of values would take long. */
  readonly #settled: number[] = [];
  /** The rows below `#values.length` of which nothing is known. */
  readonly #gaps = new Set<number>();
  readonly #onForget: (value: T) => void;
  readonly #isSettled: (value: T) => boolean;
  #snapshot: Snapshot | undefined;
  /** All changes of the snapshot up to this one have been looked at. */
  #synced = 0;
  /** Where the present pod was promised a place. */
  #own: number | undefined;

  /** `isSettled`: whether nodes with such a value may be passed over. */
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
   * Forgets what need not be true any more. `own`: where the pod was promised a place, if it was. There it does not stand in its
   * own way, but in that of others like it: what is known of that node is for it alone.
   */
  sync(snapshot: Snapshot, own: string | undefined): void {
    const { versions, nodes } = snapshot;
    const changed = this.#snapshot === snapshot ? versions.since(this.#synced) : undefined;
    this.#snapshot = snapshot;
    this.#synced = versions.last;
    if (this.#own !== undefined) this.#forget(this.#own);
    this.#own = own === undefined ? undefined : snapshot.get(own)?.row;
    if (this.#own !== undefined) this.#forget(this.#own);
    // Of thousands of nodes a few have changed since the pod before.
    if (changed) for (const row of changed) this.#check(row);
    else for (let row = 0; row < this.#values.length; row++) this.#check(row);
    this.#cut(nodes.length);
  }

  /** How many nodes something is known of. */
  get known(): number {
    return this.#values.length - this.#gaps.size;
  }

  /** Undefined when it has to be found out. */
  get({ row }: NodeInfo): T | undefined {
    return this.#values[row];
  }

  /** The same of the node in that row of the snapshot. */
  ofRow(row: number): T | undefined {
    return this.#values[row];
  }

  /** The first row from there on, and before that other, which what is known does not settle; that other when there is none. */
  skipSettled(from: number, to: number): number {
    let row = from;
    while (row < to && this.#settled[row] === 1) row++;
    return row;
  }

  /** Of a node of the snapshot. */
  set({ row }: NodeInfo, value: T): void {
    this.#forget(row);
    // Holes would make every access slow.
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

  /** The nodes of which nothing is known, in order; undefined when there are more than so many. */
  unknown(limit: number): readonly NodeInfo[] | undefined {
    const nodes = this.#snapshot?.nodes ?? [];
    if (nodes.length - this.known > limit) return undefined;
    const gaps = [...this.#gaps].sort((a, b) => a - b);
    return [...gaps.map((row) => nodes[row]!), ...nodes.slice(this.#values.length)];
  }

  /** Whether what is known of the row is still true. */
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

  /** Forgets the rows from that one on: there are no such nodes any more. */
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
