import type { JobStatus } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { completionIndexOf } from './completion-index.ts';
import type { JobOutcome } from './job-conditions.ts';
import { hasValidIndex, isPodFailed, isPodSucceeded, type JobObservation } from './job-observation.ts';
import { failureVerdict } from './pod-failure-policy.ts';

/** The maximum number of uncounted pods in a status, to limit its size. */
const mostUncounted = 500;

/** The status to write before finalizers are removed. */
export interface TerminatedPods {
  readonly status: JobStatus;
  /** Pods whose finalizers may be removed once the status is written. */
  readonly release: readonly Pod[];
  /** There are more terminated pods, so the Job cannot finish yet. */
  readonly isPartial: boolean;
}

/**
 * Records terminated pods in the status, by uid or by completion index. After this is written, their finalizers are removed, and
 * only then are the pods counted. Thus every pod is counted exactly once.
 */
export function noteTerminated(
  seen: JobObservation,
  status: JobStatus,
  outcome: JobOutcome | undefined,
): TerminatedPods {
  const { spec, indexes } = seen;
  const { uncountedTerminatedPods: known } = status;
  const [succeeded, failed] = [[...(known?.succeeded ?? [])], [...(known?.failed ?? [])]];
  const [knownSucceeded, knownFailed] = [new Set(succeeded), new Set(failed)];
  const release: Pod[] = [];
  let newIndexes = 0;
  let isPartial = false;
  for (const pod of inOrder(seen)) {
    const hasFailed = isPodFailed(pod, spec);
    if (!seen.isTracked(pod) || !mayRelease(seen, pod, hasFailed, outcome)) continue;
    release.push(pod);
    const { uid = '' } = pod.metadata;
    if (isPodSucceeded(pod) && !knownFailed.has(uid)) {
      if (!indexes) {
        if (!knownSucceeded.has(uid)) succeeded.push(uid);
      } else if (hasValidIndex(pod, spec) && !indexes.counted.has(completionIndexOf(pod)!)) newIndexes++;
    } else if (hasFailed || outcome?.hasSucceeded === false) {
      // Pods that are still running when the Job fails count as failed.
      const isNew = !knownFailed.has(uid) && hasValidIndex(pod, spec);
      if (isNew && failureVerdict(spec.podFailurePolicy, pod).counts) failed.push(uid);
    }
    if (newIndexes + succeeded.length + failed.length >= mostUncounted) {
      isPartial = true;
      break;
    }
  }
  return { status: { ...status, ...uncounted(succeeded, failed), ...indexStatus(seen) }, release, isPartial };
}

/** Returns the status with the uncounted pods that have lost their finalizer counted. Returns the same object without such pods. */
export function countReleased(status: JobStatus, isTracked: (uid: string) => boolean): JobStatus {
  const succeeded = status.uncountedTerminatedPods?.succeeded ?? [];
  const failed = status.uncountedTerminatedPods?.failed ?? [];
  const [stillSucceeded, stillFailed] = [succeeded.filter(isTracked), failed.filter(isTracked)];
  if (stillSucceeded.length === succeeded.length && stillFailed.length === failed.length) return status;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stillSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - stillFailed.length,
    ...uncounted(stillSucceeded, stillFailed),
  };
}

const uncounted = (succeeded: string[], failed: string[]): Pick<JobStatus, 'uncountedTerminatedPods'> => ({
  uncountedTerminatedPods: {
    ...(succeeded.length > 0 && { succeeded }),
    ...(failed.length > 0 && { failed }),
  },
});

function indexStatus({ indexes }: JobObservation): Partial<JobStatus> {
  if (!indexes) return {};
  return {
    succeeded: indexes.succeeded.size,
    completedIndexes: `${indexes.succeeded}`,
    ...(indexes.failed && { failedIndexes: `${indexes.failed}` }),
  };
}

/** Sorts the pods by index, if there are indexes. */
function inOrder({ pods, indexes }: JobObservation): readonly Pod[] {
  if (!indexes) return pods;
  return [...pods].sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1));
}

/**
 * Whether the finalizer may be removed. A failed pod is kept until the replacement for its index, which copies its failure count,
 * is created.
 */
function mayRelease(
  { job, indexes }: JobObservation,
  pod: Pod,
  hasFailed: boolean,
  outcome: JobOutcome | undefined,
): boolean {
  if (job.metadata.deletionTimestamp || outcome || isPodSucceeded(pod)) return true;
  if (!hasFailed) return false;
  const index = completionIndexOf(pod);
  return index === undefined || indexes?.lastFailed.get(index)?.metadata.uid !== pod.metadata.uid;
}
