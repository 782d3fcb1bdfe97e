import type { Pod } from '@coxswain/api/core/v1';
import { isPodTerminating } from '@coxswain/component-helpers';
import { byActivity } from '../framework/pods/pod-deletion-order.ts';
import { type BackoffRecord, finishTime, remainingBackoffMs } from './backoff.ts';
import { allFailuresBefore, completionIndexOf, indexesOf } from './completion-index.ts';
import { IndexIntervals } from './index-intervals.ts';
import { type JobObservation, replacesOnlyFailed } from './job-observation.ts';

/** The maximum number of pods that are created or deleted in one reconcile of a Job. */
const mostAtOnce = 500;

/** The planned changes of a Job's active pods. Never both creations and deletions. */
export interface PodPlan {
  readonly remove: readonly Pod[];
  /** One entry for each new pod: its completion index, or undefined without indexes. */
  readonly create: readonly (number | undefined)[];
  /** Pods are missing but must not be created before this time has passed. */
  readonly waitMs?: number;
}

const nothing: PodPlan = { remove: [], create: [] };

/** Plans deletions before creations, because an Indexed Job may need both. */
export function planPods(seen: JobObservation, backoff: BackoffRecord, now: number): PodPlan {
  const { spec, active, indexes } = seen;
  if (spec.suspend) return { remove: podsToRemove(seen, active.length), create: [] };

  const wanted = wantedActive(seen);
  const remove = podsToRemove(seen, Math.max(0, active.length - wanted)).slice(0, mostAtOnce);
  if (remove.length > 0) return { remove, create: [] };

  const leaving = replacesOnlyFailed(spec) ? seen.terminating : 0;
  const missing = wanted - leaving - active.length;
  if (missing <= 0) return nothing;
  if (spec.backoffLimitPerIndex === undefined) {
    const waitMs = remainingBackoffMs(backoff, now);
    if (waitMs > 0) return { ...nothing, waitMs };
  }
  const count = Math.min(missing, mostAtOnce);
  if (!indexes) return { remove: [], create: Array.from({ length: count }, () => undefined) };
  const candidates = pendingIndexes(seen, count);
  const waits = candidates.map((index) => remainingIndexBackoffMs(indexes.lastFailed.get(index), now));
  const create = candidates.filter((_, i) => waits[i] === 0);
  return { remove: [], create, ...(create.length === 0 && waits.length > 0 && { waitMs: Math.min(...waits) }) };
}

/**
 * Returns the desired number of active pods, at most the missing completions. Without completions it is the parallelism, until
 * one pod has succeeded; then the active pods are kept and no others are created.
 */
function wantedActive({ spec: { completions, parallelism = 1 }, succeeded, active }: JobObservation): number {
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Returns at least `atLeast` pods to delete. Pods with an invalid or duplicate index are always included. */
function podsToRemove({ active, indexes }: JobObservation, atLeast: number): Pod[] {
  const useless: Pod[] = [];
  let rest = [...active];
  if (indexes) {
    const best = new Map<number, Pod>();
    for (const pod of active) {
      const index = completionIndexOf(pod);
      if (index === undefined || index >= indexes.completions) {
        useless.push(pod);
        continue;
      }
      const rival = best.get(index);
      const isBetter = !rival || byActivity(pod, rival) >= 0;
      if (rival) useless.push(isBetter ? rival : pod);
      if (isBetter) best.set(index, pod);
    }
    rest = [...best.values()];
  }
  const more = atLeast - useless.length;
  return more > 0 ? [...useless, ...rest.sort(byActivity).slice(0, more)] : useless;
}

/** Returns the first indexes that are not finished and have no pod. */
function pendingIndexes({ spec, pods, active, indexes }: JobObservation, count: number): number[] {
  const { succeeded, failed = IndexIntervals.none, completions } = indexes!;
  const leaving = replacesOnlyFailed(spec) ? pods.filter(isPodTerminating) : [];
  const taken = IndexIntervals.of(indexesOf([...active, ...leaving]));
  return succeeded.with(failed).with(taken).firstMissing(count, completions);
}

function remainingIndexBackoffMs(lastFailed: Pod | undefined, now: number): number {
  if (!lastFailed) return 0;
  const failures = allFailuresBefore(lastFailed) + 1;
  return remainingBackoffMs({ failures, lastFailureMs: finishTime(lastFailed) }, now);
}
