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
  readonly #onForget: (value: T) => void;
  #snapshot: Snapshot | undefined;
  #known = 0;
  /** Where the present pod was promised a place. */
  #own: number | undefined;

  constructor(onForget: (value: T) => void = () => {}) {
    this.#onForget = onForget;
  }

  /**
   * Forgets what need not be true any more. `own`: where the pod was promised a place, if it was. There it does not stand in its
   * own way, but in that of others like it: what is known of that node is for it alone.
   */
  sync(snapshot: Snapshot, own: string | undefined): void {
    this.#snapshot = snapshot;
    const { versions, nodes } = snapshot;
    if (this.#own !== undefined) this.#forget(this.#own);
    this.#own = own === undefined ? undefined : snapshot.get(own)?.row;
    if (this.#own !== undefined) this.#forget(this.#own);
    for (let row = 0; row < this.#values.length; row++)
      if (this.#versions[row] !== versions[row] || row >= nodes.length) this.#forget(row);
    this.#values.length = Math.min(this.#values.length, nodes.length);
    this.#versions.length = this.#values.length;
  }

  /** How many nodes something is known of. */
  get known(): number {
    return this.#known;
  }

  /** Undefined when it has to be found out. */
  get({ row }: NodeInfo): T | undefined {
    return this.#values[row];
  }

  /** The same of the node in that row of the snapshot. */
  ofRow(row: number): T | undefined {
    return this.#values[row];
  }

  /** Of a node of the snapshot. */
  set({ row }: NodeInfo, value: T): void {
    this.#forget(row);
    // Holes would make every access slow.
    while (this.#values.length < row) {
      this.#values.push(undefined);
      this.#versions.push(0);
    }
    this.#values[row] = value;
    this.#versions[row] = this.#snapshot?.versions[row] ?? 0;
    this.#known++;
  }

  /** The nodes of which nothing is known; undefined when there are more than so many. */
  unknown(limit: number): readonly NodeInfo[] | undefined {
    const nodes = this.#snapshot?.nodes ?? [];
    if (nodes.length - this.#known > limit) return undefined;
    return nodes.filter((_, row) => this.#values[row] === undefined);
  }

  #forget(row: number): void {
    const value = this.#values[row];
    if (value === undefined) return;
    this.#values[row] = undefined;
    this.#known--;
    this.#onForget(value);
  }
}
