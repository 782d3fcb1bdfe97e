import type { Pod } from '@coxswain/api/core/v1';
import { isPodAvailable, isPodReady } from '@coxswain/component-helpers';
import { hashLabel } from './daemon-pod.ts';
import type { NodeView } from './placement.ts';

/** The changes for one node, apart from those of a rolling update. */
interface NodePlan {
  readonly creates: boolean;
  /** Failed pods. They are deleted with a backoff. */
  readonly failed: readonly Pod[];
  readonly succeeded: readonly Pod[];
  /** Pods beyond the allowed number, or on a node that must not have any. */
  readonly surplus: readonly Pod[];
}

interface NodePlanOptions {
  /** Whether a node may have an old and a new pod during an update. */
  readonly allowsSurge: boolean;
  /** The hash of the set's current template. */
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
    // Without surge, the next pod is created only after the previous one no longer exists.
    creates: options.allowsSurge && fit.shouldRun && running.length === 0,
    failed,
    succeeded,
    surplus: options.allowsSurge ? beyondOldAndNew(running, options) : running.slice(1),
  };
}

/**
 * Returns the surplus pods with surge. An old and a new pod may coexist only while the old one is ready and the new one is not
 * yet available.
 */
function beyondOldAndNew(running: readonly Pod[], { hash, minReadySeconds, now }: NodePlanOptions): Pod[] {
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[hashLabel] === hash;
  const newest = running.find(isNew);
  const oldest = running.find((pod) => !isNew(pod));
  const surplus = running.filter((pod) => pod !== newest && pod !== oldest);
  if (newest && oldest && (!isPodReady(oldest) || isPodAvailable(newest, minReadySeconds, now))) surplus.push(oldest);
  return surplus;
}

/** Sorts pods that are bound to a node before others, then by age. */
export function oldestFirst(a: Pod, b: Pod): number {
  const timeOf = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return (
    Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName) ||
    timeOf(a) - timeOf(b) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}
