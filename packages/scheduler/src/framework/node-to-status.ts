import type { NodeInfo } from './node-info.ts';
import type { NodeStatuses } from './plugin.ts';
import type { Snapshot } from './snapshot.ts';
import { Status, type StatusCode } from './status.ts';

/** The nodes that rejected a pod, with counts by status. */
export interface Rejections extends NodeStatuses {
  /** The number of nodes with a status of their own. */
  readonly size: number;
  /** The number of those nodes by status. */
  readonly counts: ReadonlyMap<Status, number>;
  /** The status of all other nodes, which were not evaluated. */
  readonly absentStatus: Status;
}

/** Collects the rejections of nodes one by one. */
export class NodeToStatus implements Rejections {
  readonly #snapshot: Snapshot;
  /** `#nodes[i]` was rejected with `#statuses[i]`. No node occurs twice. */
  readonly #nodes: NodeInfo[] = [];
  readonly #statuses: Status[] = [];
  /** Created on first use: usually it is not needed. */
  #byName: Map<string, Status> | undefined;
  absentStatus: Status = Status.unresolvable();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** The node must not have a status yet. */
  add(node: NodeInfo, status: Status): void {
    this.#nodes.push(node);
    this.#statuses.push(status);
    this.#byName = undefined;
  }

  get(nodeName: string): Status {
    return this.#map.get(nodeName) ?? this.absentStatus;
  }

  nodesWith(code: StatusCode): readonly NodeInfo[] {
    if (this.absentStatus.code === code) {
      return this.#snapshot.nodes.filter(({ name }) => this.get(name).code === code);
    }
    return this.#nodes.filter((_, index) => this.#statuses[index]!.code === code).sort((a, b) => a.row - b.row);
  }

  get counts(): ReadonlyMap<Status, number> {
    const counts = new Map<Status, number>();
    for (const status of this.#statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
    return counts;
  }

  get #map(): ReadonlyMap<string, Status> {
    if (!this.#byName) {
      this.#byName = new Map();
      for (const [index, { name }] of this.#nodes.entries()) this.#byName.set(name, this.#statuses[index]!);
    }
    return this.#byName;
  }
}
