import type { Job, JobSpec } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodActive, isPodReady, isPodTerminating } from '@coxswain/component-helpers';
import { hasFinalizer } from '../framework/finalizers/finalizers.ts';
import { finishTime } from './backoff.ts';
import { allFailuresBefore, completionIndexOf, failuresBefore, indexesOf } from './completion-index.ts';
import { IndexIntervals } from './index-intervals.ts';
import { failureVerdict } from './pod-failure-policy.ts';

/** Keeps a pod until it has been counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** A Job and its pods, as they are at one moment. */
export interface JobObservation {
  readonly job: Job;
  readonly spec: JobSpec;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Pods that have ended and are in no status yet. Of an Indexed Job only those with an index that it has. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** All of them, with those that the status has counted. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of an Indexed Job. */
  readonly indexes?: JobIndexes;
  /** Whether the pod has yet to be counted: it has the finalizer, and nobody has just taken it away. */
  isTracked(pod: Pod): boolean;
}

interface JobIndexes {
  readonly completions: number;
  /** Those that the status has. */
  readonly counted: IndexIntervals;
  readonly succeeded: IndexIntervals;
  /** Only of Jobs with a backoff limit per index. */
  readonly failed?: IndexIntervals;
  /** By index the last pod that failed, where another is to be made: it knows how many did before it. */
  readonly lastFailed: ReadonlyMap<number, Pod>;
}

/** Whether only pods that have failed are replaced, and not such as are about to go. */
export const replacesOnlyFailed = ({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean =>
  podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;

/** A pod that goes before it has ended never will: it has failed, unless the Job wants to wait and see. */
export function isPodFailed({ metadata, status }: Pod, spec: JobSpec): boolean {
  if (status?.phase === 'Failed') return true;
  return !replacesOnlyFailed(spec) && !!metadata.deletionTimestamp && status?.phase !== 'Succeeded';
}

export const isPodSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded';

/** `released`: the uids of pods whose finalizer was taken away, though the cache may not show it. */
export function observeJob(job: Job, pods: readonly Pod[], released: ReadonlySet<string>): JobObservation {
  const spec = job.spec!;
  const { status = {} } = job;
  const isTracked = (pod: Pod): boolean =>
    hasFinalizer(pod, trackingFinalizer) && !released.has(pod.metadata.uid ?? '');
  const uncounted = {
    succeeded: new Set(status.uncountedTerminatedPods?.succeeded),
    failed: new Set(status.uncountedTerminatedPods?.failed),
  };
  const isNew = (pod: Pod, known: ReadonlySet<string>): boolean =>
    isTracked(pod) && !known.has(pod.metadata.uid ?? '') && hasValidIndex(pod, spec);
  const newlySucceeded = pods.filter((pod) => isPodSucceeded(pod) && isNew(pod, uncounted.succeeded));
  const newlyFailed = pods.filter((pod) => isPodFailed(pod, spec) && isNew(pod, uncounted.failed));
  const counting = newlyFailed.filter((pod) => failureVerdict(spec.podFailurePolicy, pod).counts);
  const active = pods.filter(isPodActive);
  const indexes = spec.completionMode === 'Indexed' ? observeIndexes(job, pods, active, isTracked) : undefined;
  return {
    job,
    spec,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    newlySucceeded,
    newlyFailed,
    succeeded: indexes?.succeeded.size ?? (status.succeeded ?? 0) + newlySucceeded.length + uncounted.succeeded.size,
    failed: (status.failed ?? 0) + counting.length + uncounted.failed.size,
    ...(indexes && { indexes }),
    isTracked,
  };
}

/** Whether the pod counts at all: of an Indexed Job only those do that have one of its indexes. */
export function hasValidIndex(pod: Pod, { completionMode, completions = 0 }: JobSpec): boolean {
  if (completionMode !== 'Indexed') return true;
  const index = completionIndexOf(pod);
  return index !== undefined && index < completions;
}

function observeIndexes(
  { spec, status = {} }: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  isTracked: (pod: Pod) => boolean,
): JobIndexes {
  const { completions = 0, backoffLimitPerIndex } = spec!;
  const valid = pods.filter((pod) => hasFinalizer(pod, trackingFinalizer) && hasValidIndex(pod, spec!));
  const counted = IndexIntervals.parse(status.completedIndexes, completions);
  const succeeded = counted.with(IndexIntervals.of(indexesOf(valid.filter(isPodSucceeded))));
  if (backoffLimitPerIndex === undefined) return { completions, counted, succeeded, lastFailed: new Map() };

  const failed = IndexIntervals.parse(status.failedIndexes, completions).with(
    IndexIntervals.of(indexesOf(valid.filter((pod) => failsIndex(pod, spec!, backoffLimitPerIndex)))),
  );
  // Where a pod is active, it has the count itself.
  const activeIndexes = indexesOf(active);
  const lastFailed = new Map<number, Pod>();
  for (const pod of valid) {
    const index = completionIndexOf(pod)!;
    if (!isTracked(pod) || !isPodFailed(pod, spec!)) continue;
    if (succeeded.has(index) || failed.has(index) || activeIndexes.has(index)) continue;
    const last = lastFailed.get(index);
    if (!last || isLater(pod, last)) lastFailed.set(index, pod);
  }
  return { completions, counted, succeeded, failed, lastFailed };
}

const isLater = (pod: Pod, than: Pod): boolean =>
  allFailuresBefore(pod) >= allFailuresBefore(than) && finishTime(pod) >= finishTime(than);

/** Whether no other pod is tried for the pod's index. */
function failsIndex(pod: Pod, spec: JobSpec, limit: number): boolean {
  if (!isPodFailed(pod, spec)) return false;
  const { action, counts } = failureVerdict(spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (counts && failuresBefore(pod).counted >= limit);
}
