import type { Rejections } from './node-to-status.ts';
import type { Status } from './status.ts';

/** The plug-in name that stands for all extenders. */
export const extenderName = 'Extender';

/** The reasons why a pod fits no node. */
export class FitError {
  readonly statuses: Rejections;
  readonly #numAllNodes: number;
  /** The status of PreFilter when that rejected the pod. */
  readonly #preFilter: Status | undefined;
  readonly #otherPlugins: ReadonlySet<string>;
  /** The result of the preemption attempt. */
  postFilterMessage = '';

  /** `plugins`: names of plug-ins that took part in the rejection without a status for any node. */
  constructor(
    numAllNodes: number,
    statuses: Rejections,
    { preFilter, plugins = new Set() }: { readonly preFilter?: Status; readonly plugins?: ReadonlySet<string> } = {},
  ) {
    this.#numAllNodes = numAllNodes;
    this.statuses = statuses;
    this.#preFilter = preFilter;
    this.#otherPlugins = plugins;
  }

  /** The plug-ins that rejected the pod, and those of them with status Pending, which wait for an external event. */
  get rejectors(): { readonly unschedulable: ReadonlySet<string>; readonly pending: ReadonlySet<string> } {
    const unschedulable = new Set(this.#otherPlugins);
    const pending = new Set<string>();
    for (const { plugin, isRejected, code } of this.#preFilter ? [this.#preFilter] : this.statuses.counts.keys()) {
      if (plugin === undefined) continue;
      if (isRejected) unschedulable.add(plugin);
      if (code === 'Pending') pending.add(plugin);
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

  /** Counts how often each reason was given. */
  #histogram(): string {
    const { size, counts, absentStatus } = this.statuses;
    const byReason = new Map<string, number>();
    const add = ({ reasons }: Status, count: number): void => {
      for (const reason of reasons) byReason.set(reason, (byReason.get(reason) ?? 0) + count);
    };
    for (const [status, count] of counts) add(status, count);
    if (size < this.#numAllNodes) add(absentStatus, this.#numAllNodes - size);
    return [...byReason]
      .map(([reason, count]) => `${count} ${reason}`)
      .sort()
      .join(', ');
  }
}
