import type { NodeToStatus } from '../framework/node-to-status.ts';
import type { Status } from '../framework/status.ts';

/** Stands for all extenders where plug-ins are named. */
export const extenderName = 'Extender';

/** Why a pod can be on no node. */
export class FitError {
  readonly statuses: NodeToStatus;
  readonly #numAllNodes: number;
  /** Of PreFilter, when it was that which rejected the pod. */
  readonly #preFilter: Status | undefined;
  readonly #otherPlugins: ReadonlySet<string>;
  /** What came of the attempt to make room. */
  postFilterMessage = '';

  /** `plugins`: that had a part in it, without a status of any node. */
  constructor(
    numAllNodes: number,
    statuses: NodeToStatus,
    { preFilter, plugins = new Set() }: { readonly preFilter?: Status; readonly plugins?: ReadonlySet<string> } = {},
  ) {
    this.#numAllNodes = numAllNodes;
    this.statuses = statuses;
    this.#preFilter = preFilter;
    this.#otherPlugins = plugins;
  }

  /** The plug-ins that rejected the pod, and those of them that wait for something to happen outside. */
  get rejectors(): { readonly unschedulable: ReadonlySet<string>; readonly pending: ReadonlySet<string> } {
    const unschedulable = new Set(this.#otherPlugins);
    const pending = new Set<string>();
    let last: string | undefined;
    for (const { plugin, isRejected, code } of this.#preFilter ? [this.#preFilter] : this.statuses.values) {
      // Thousands of nodes in a row are rejected by the same.
      if (plugin === undefined || plugin === last) continue;
      if (isRejected) unschedulable.add(plugin);
      if (code === 'Pending') pending.add(plugin);
      else last = plugin;
    }
    return { unschedulable, pending };
  }

  /** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …` */
  get message(): string {
    const reasons = this.#preFilter ? this.#preFilter.message : this.#histogram();
    const parts = [
      `0/${this.#numAllNodes} nodes are available:`,
      ...(reasons ? [`${reasons}.`] : []),
      ...(this.postFilterMessage ? [this.postFilterMessage] : []),
    ];
    return parts.join(' ');
  }

  /** How often each reason was given. */
  #histogram(): string {
    const { values, absentStatus } = this.statuses;
    // Most nodes share a few statuses.
    const byStatus = new Map<Status, number>();
    for (const status of values) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    if (values.length < this.#numAllNodes) byStatus.set(absentStatus, this.#numAllNodes - values.length);
    const counts = new Map<string, number>();
    for (const [{ reasons }, count] of byStatus) {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
    }
    return [...counts]
      .map(([reason, count]) => `${count} ${reason}`)
      .sort()
      .join(', ');
  }
}
