import type { NodeInfo } from '../framework/node-info.ts';
import type { Rejections } from '../framework/node-to-status.ts';
import { RememberedNodes } from '../framework/remembered-nodes.ts';
import type { Snapshot } from '../framework/snapshot.ts';
import { Status, type StatusCode } from '../framework/status.ts';

/** Stands for a node that all filters accept. */
export const fits = 'fits';

export type Answer = Status | typeof fits;

/**
 * The cached results of the filters for pods of one signature. When all nodes were rejected, it provides the reasons without looking at
 * each node; they are valid for the current cycle.
 */
export class FilterAnswers implements Rejections {
  readonly #answers = new RememberedNodes<Answer>({ onForget: (answer) => this.#count(answer, -1) });
  #snapshot: Snapshot | undefined;
  /** The number of rejected nodes, and their statuses with counts. */
  #rejected = 0;
  readonly #counts = new Map<Status, number>();
  /**
   * The rows and nodes with status `Unschedulable`, in order. An entry whose result was dropped stays until there is a new result for its
   * node.
   */
  readonly #rows: number[] = [];
  readonly #nodes: NodeInfo[] = [];
  readonly absentStatus: Status = Status.unresolvable();

  /** Must be called at the start of a cycle: see `RememberedNodes`. */
  sync(snapshot: Snapshot, own: string | undefined): void {
    this.#snapshot = snapshot;
    this.#answers.sync(snapshot, own);
    const listed = this.#position(snapshot.nodes.length);
    this.#rows.length = listed;
    this.#nodes.length = listed;
  }

  of(node: NodeInfo): Answer | undefined {
    return this.#answers.get(node);
  }

  set(node: NodeInfo, answer: Answer): void {
    this.#answers.set(node, answer);
    this.#count(answer, 1);
    this.#list(node, codeOf(answer) === 'Unschedulable');
  }

  /**
   * The nodes without a cached result, when all others are rejected; undefined when a node is accepted, or more than `limit` have no
   * result.
   */
  undecided(limit: number): readonly NodeInfo[] | undefined {
    return this.#answers.known > this.#rejected ? undefined : this.#answers.unknown(limit);
  }

  get size(): number {
    return this.#rejected;
  }

  get counts(): ReadonlyMap<Status, number> {
    return this.#counts;
  }

  get(nodeName: string): Status {
    const node = this.#snapshot?.get(nodeName);
    const answer = node && this.of(node);
    return answer === undefined || answer === fits ? this.absentStatus : answer;
  }

  nodesWith(code: StatusCode): readonly NodeInfo[] {
    if (code === 'Unschedulable') return this.#nodes;
    return this.#snapshot?.nodes.filter((node) => codeOf(this.of(node)) === code) ?? [];
  }

  #count(answer: Answer, by: 1 | -1): void {
    if (answer === fits) return;
    this.#rejected += by;
    const count = (this.#counts.get(answer) ?? 0) + by;
    if (count > 0) this.#counts.set(answer, count);
    else this.#counts.delete(answer);
  }

  #list(node: NodeInfo, isUnschedulable: boolean): void {
    const at = this.#position(node.row);
    const isListed = this.#rows[at] === node.row;
    if (isListed && isUnschedulable) {
      this.#nodes[at] = node;
    } else if (isListed) {
      this.#rows.splice(at, 1);
      this.#nodes.splice(at, 1);
    } else if (isUnschedulable) {
      this.#rows.splice(at, 0, node.row);
      this.#nodes.splice(at, 0, node);
    }
  }

  /** The index of the row in the list, or where it would be inserted. */
  #position(row: number): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const codeOf = (answer: Answer | undefined): StatusCode | undefined =>
  answer === undefined || answer === fits ? undefined : answer.code;
