import type { JobStatus } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { completionIndexOf } from './completion-index.ts';
import type { JobOutcome } from './job-conditions.ts';
import { hasValidIndex, isPodFailed, isPodSucceeded, type JobObservation } from './job-observation.ts';
import { failureVerdict } from './pod-failure-policy.ts';

/** More are not written into a status, so that it stays small. */
const mostUncounted = 500;

/** What is to be written before pods are let go. */
export interface TerminatedPods {
  readonly status: JobStatus;
  /** The finalizers of these may be taken away, once the status is written. */
  readonly release: readonly Pod[];
  /** There are more: the Job has not ended, whatever else says so. */
  readonly isPartial: boolean;
}

/**
 * Writes down which pods have ended, by their uids, or by their indexes where they have some. Only then may their
 * finalizers go, and only when those are gone are the pods counted: so none is counted twice, and none is missed.
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
      // Whatever runs when the Job fails has failed with it.
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

/** The status in which pods are counted that no longer have the finalizer. The same when there are none. */
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

/** Ascending by index, where there are some. */
function inOrder({ pods, indexes }: JobObservation): readonly Pod[] {
  if (!indexes) return pods;
  return [...pods].sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1));
}

/** A pod that failed stays until the next for its index is made, which takes the number of failures over. */
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
