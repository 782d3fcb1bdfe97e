import type { DaemonSet, DaemonSetStatus } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodAvailable, isPodReady } from '@coxswain/component-helpers';
import { oldestFirst } from './node-plan.ts';

export type DaemonCounts = Required<
  Pick<
    DaemonSetStatus,
    | 'desiredNumberScheduled'
    | 'currentNumberScheduled'
    | 'numberMisscheduled'
    | 'numberReady'
    | 'updatedNumberScheduled'
    | 'numberAvailable'
    | 'numberUnavailable'
  >
>;

interface CountOptions {
  readonly nodes: Iterable<{ readonly shouldRun: boolean; readonly pods: readonly Pod[] }>;
  isUpdated(pod: Pod): boolean;
  readonly minReadySeconds: number;
  readonly now: number;
}

/** Counts the set's pods for its status. If a node has several pods, the oldest counts. */
export function countDaemons({ nodes, isUpdated, minReadySeconds, now }: CountOptions): DaemonCounts {
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 };
  for (const { shouldRun, pods } of nodes) {
    const [oldest] = pods.length > 1 ? pods.toSorted(oldestFirst) : pods;
    if (!shouldRun) {
      if (oldest) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (!oldest) continue;
    counts.current++;
    if (isPodReady(oldest)) counts.ready++;
    if (isPodAvailable(oldest, minReadySeconds, now)) counts.available++;
    if (isUpdated(oldest)) counts.updated++;
  }
  return {
    desiredNumberScheduled: counts.desired,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    numberReady: counts.ready,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
  };
}

/** The counts of a set that has not been reconciled yet. */
export const noCounts: DaemonCounts = countDaemons({ nodes: [], isUpdated: () => false, minReadySeconds: 0, now: 0 });

/** Whether the set's status has other counts or an older generation. */
export function isOutdated(
  { status }: DaemonSet,
  next: DaemonCounts & { readonly observedGeneration: number },
): boolean {
  const { observedGeneration, ...counts } = next;
  const told: Partial<Record<string, unknown>> = { ...status };
  return (
    (status?.observedGeneration ?? 0) < observedGeneration ||
    Object.entries(counts).some(([field, count]) => (told[field] ?? 0) !== count)
  );
}
