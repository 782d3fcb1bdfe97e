import type { Job, JobSpec } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodActive, isPodReady, isPodTerminating } from '@coxswain/component-helpers';
import { hasFinalizer } from '../framework/finalizers/finalizers.ts';
import { finishTime } from './backoff.ts';
import { allFailuresBefore, completionIndexOf, failuresBefore, indexesOf } from './completion-index.ts';
import { IndexIntervals } from './index-intervals.ts';
import { failureVerdict } from './pod-failure-policy.ts';

/** Protects a pod from removal until it has been counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** A Job and its pods at the start of a reconcile. */
export interface JobObservation {
  readonly job: Job;
  readonly spec: JobSpec;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Terminated pods that the status does not contain yet. For an Indexed Job, only pods with a valid index. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** The total numbers, including those that the status has already counted. */
  readonly succeeded: number;
  readonly failed: number;
  /** Only for an Indexed Job. */
  readonly indexes?: JobIndexes;
  /** Whether the pod still has to be counted: it has the finalizer, and this controller has not just removed it. */
  isTracked(pod: Pod): boolean;
}

interface JobIndexes {
  readonly completions: number;
  /** The indexes in the status. */
  readonly counted: IndexIntervals;
  readonly succeeded: IndexIntervals;
  /** Only for Jobs with a backoff limit per index. */
  readonly failed?: IndexIntervals;
  /** The last failed pod of each index that needs a replacement. Its annotations have the number of earlier failures. */
  readonly lastFailed: ReadonlyMap<number, Pod>;
}

/** Whether a pod is replaced only when it has failed, not when it is terminating. */
export const replacesOnlyFailed = ({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean =>
  podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;

/** Whether the pod has failed. A terminating pod counts as failed unless it has succeeded or the Job replaces only failed pods. */
export function isPodFailed({ metadata, status }: Pod, spec: JobSpec): boolean {
  if (status?.phase === 'Failed') return true;
  return !replacesOnlyFailed(spec) && !!metadata.deletionTimestamp && status?.phase !== 'Succeeded';
}

export const isPodSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded';

/** Computes the observation. `released` has the uids of pods whose finalizer was removed but may still be in the cache. */
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

/** Whether the pod counts. Pods of an Indexed Job must have a valid index. */
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
  // An active pod has the failure count itself.
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

/** Whether the pod's failure makes its index fail for good. */
function failsIndex(pod: Pod, spec: JobSpec, limit: number): boolean {
  if (!isPodFailed(pod, spec)) return false;
  const { action, counts } = failureVerdict(spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (counts && failuresBefore(pod).counted >= limit);
}
