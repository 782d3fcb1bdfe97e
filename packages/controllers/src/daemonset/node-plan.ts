import type { Pod } from '@coxswain/api/core/v1';
import { isPodAvailable, isPodReady } from '@coxswain/component-helpers';
import { hashLabel } from './daemon-pod.ts';
import type { NodeView } from './placement.ts';

/** What is to be done about one node, whether or not an update is under way. */
interface NodePlan {
  readonly creates: boolean;
  /** Pods that have failed, which need to be deleted though not in haste. */
  readonly failed: readonly Pod[];
  readonly succeeded: readonly Pod[];
  /** Pods that are too many, or have no business here. */
  readonly surplus: readonly Pod[];
}

interface NodePlanOptions {
  /** During an update a node may have an old pod and a new one. */
  readonly allowsSurge: boolean;
  /** Of the set's template as it is now. */
  readonly hash: string;
  readonly minReadySeconds: number;
  readonly now: number;
}

const nothing: NodePlan = { creates: false, failed: [], succeeded: [], surplus: [] };

export function planNode({ pods, ...fit }: NodeView, options: NodePlanOptions): NodePlan {
  if (pods.length === 0) return { ...nothing, creates: fit.shouldRun };
  const lasting = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!fit.shouldContinue) return { ...nothing, surplus: lasting };
  const inPhase = (phase: string): Pod[] => lasting.filter(({ status }) => status?.phase === phase);
  const failed = inPhase('Failed');
  const succeeded = inPhase('Succeeded');
  const running = lasting.filter((pod) => !failed.includes(pod) && !succeeded.includes(pod)).sort(oldestFirst);
  return {
    // Where there is to be no surge, the next pod waits until the last one is gone for good.
    creates: options.allowsSurge && fit.shouldRun && running.length === 0,
    failed,
    succeeded,
    surplus: options.allowsSurge ? beyondOldAndNew(running, options) : running.slice(1),
  };
}

/** Two may run side by side only while the old one is ready and the new one not yet available. */
function beyondOldAndNew(running: readonly Pod[], { hash, minReadySeconds, now }: NodePlanOptions): Pod[] {
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[hashLabel] === hash;
  const newest = running.find(isNew);
  const oldest = running.find((pod) => !isNew(pod));
  const surplus = running.filter((pod) => pod !== newest && pod !== oldest);
  if (newest && oldest && (!isPodReady(oldest) || isPodAvailable(newest, minReadySeconds, now))) surplus.push(oldest);
  return surplus;
}

/** Those that are on a node before those that are yet to be put there. */
export function oldestFirst(a: Pod, b: Pod): number {
  const timeOf = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return (
    Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName) ||
    timeOf(a) - timeOf(b) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}
