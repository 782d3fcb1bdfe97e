import type { Pod } from '@coxswain/api/core/v1';
import { isPodTerminating } from '@coxswain/component-helpers';
import { byActivity } from '../framework/pods/pod-deletion-order.ts';
import { type BackoffRecord, finishTime, remainingBackoffMs } from './backoff.ts';
import { allFailuresBefore, completionIndexOf, indexesOf } from './completion-index.ts';
import { IndexIntervals } from './index-intervals.ts';
import { type JobObservation, replacesOnlyFailed } from './job-observation.ts';

/** No more pods are created or deleted for a Job at one time. */
const mostAtOnce = 500;

/** What is to be done about the number of a Job's active pods; never both. */
export interface PodPlan {
  readonly remove: readonly Pod[];
  /** One entry for each pod: its completion index, or undefined where pods have none. */
  readonly create: readonly (number | undefined)[];
  /** Pods are missing, but none is made before so much time has passed. */
  readonly waitMs?: number;
}

const nothing: PodPlan = { remove: [], create: [] };

/** Too many go before missing ones come: an Indexed Job may have both. */
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
 * Not more than completions are missing. Without a number of completions, as many as may run at once, until one has
 * succeeded: then those that run are left, and no others come.
 */
function wantedActive({ spec: { completions, parallelism = 1 }, succeeded, active }: JobObservation): number {
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Pods that have no index of the Job, or one that another pod has too, go in any case. */
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

/** The first indexes that neither have ended nor have a pod. */
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
