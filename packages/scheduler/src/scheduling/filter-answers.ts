import type { NodeInfo } from '../framework/node-info.ts';
import type { Rejections } from '../framework/node-to-status.ts';
import { RememberedNodes } from '../framework/remembered-nodes.ts';
import type { Snapshot } from '../framework/snapshot.ts';
import { Status, type StatusCode } from '../framework/status.ts';

/** What filters say by saying nothing. */
export const fits = 'fits';

export type Answer = Status | typeof fits;

/**
 * What filters said of nodes to pods of one signature. When they rejected all nodes, it tells why without a look at any: that is
 * for the present cycle.
 */
export class FilterAnswers implements Rejections {
  readonly #answers = new RememberedNodes<Answer>({ onForget: (answer) => this.#count(answer, -1) });
  #snapshot: Snapshot | undefined;
  /** How many nodes were rejected, and with what. */
  #rejected = 0;
  readonly #counts = new Map<Status, number>();
  /** The rows of nodes that are `Unschedulable`, in order, and the nodes. What was forgotten stays until there is a new answer. */
  readonly #rows: number[] = [];
  readonly #nodes: NodeInfo[] = [];
  readonly absentStatus: Status = Status.unresolvable();

  /** Has to come first in a cycle: see `RememberedNodes`. */
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

  /** The nodes that have to be asked about before it is known that none fits; undefined when one does, or they are more than so many. */
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

  /** Where in the list the row is, or would be. */
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
