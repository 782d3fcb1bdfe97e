import type { Pod } from '@coxswain/api/core/v1';
import { type JobOutcome, knownOutcome } from './job-conditions.ts';
import { isPodFailed, type JobObservation } from './job-observation.ts';
import { failureVerdict } from './pod-failure-policy.ts';
import { metSuccessPolicy } from './success-policy.ts';

const failed = (reason: string, message: string): JobOutcome => ({ hasSucceeded: false, reason, message });

/**
 * Decides whether the Job ends before all its pods have ended: by an earlier decision, a failure or the success policy, in this
 * order. Returns undefined while it continues.
 */
export function decideOutcome(
  seen: JobObservation,
  startTimeMs: number | undefined,
  now: number,
): JobOutcome | undefined {
  const { job, spec, pods, indexes } = seen;
  const known = knownOutcome(job);
  if (known) return known;

  const policyFailure = spec.podFailurePolicy && failingByPolicy(seen);
  if (policyFailure !== undefined) return failed('PodFailurePolicy', policyFailure);
  const { backoffLimit = 6 } = spec;
  if (seen.failed > backoffLimit || hasTooManyRestarts(seen, pods, backoffLimit)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadlineMs = remainingDeadlineMs(seen, startTimeMs, now);
  if (deadlineMs !== undefined && deadlineMs <= 0) {
    return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  if (!indexes) return undefined;

  const failedIndexes = indexes.failed?.size ?? 0;
  if (spec.maxFailedIndexes !== undefined && failedIndexes > spec.maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return failed('MaxFailedIndexesExceeded', message);
  }
  if (failedIndexes > 0 && failedIndexes + indexes.succeeded.size >= indexes.completions) {
    return failed('FailedIndexes', 'Job has failed indexes');
  }
  const message = metSuccessPolicy(spec.successPolicy, indexes.completions, indexes.succeeded);
  return message === undefined ? undefined : { hasSucceeded: true, reason: 'SuccessPolicy', message };
}

/**
 * Returns success when enough pods have succeeded and none is active. Without a number of completions one success is enough, but
 * all active pods are waited for.
 */
export function completionsReached({ spec, succeeded }: JobObservation, active: number): JobOutcome | undefined {
  if (active > 0 || succeeded < (spec.completions ?? 1)) return undefined;
  return { hasSucceeded: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

/** Returns the milliseconds until the deadline, or undefined when there is none or the Job is suspended. */
export function remainingDeadlineMs(
  { spec: { activeDeadlineSeconds, suspend } }: JobObservation,
  startTimeMs: number | undefined,
  now: number,
): number | undefined {
  if (activeDeadlineSeconds === undefined || startTimeMs === undefined || suspend) return undefined;
  return startTimeMs + Number(activeDeadlineSeconds) * 1000 - now;
}

function failingByPolicy({ pods, spec }: JobObservation): string | undefined {
  for (const pod of pods) {
    const message = isPodFailed(pod, spec) ? failureVerdict(spec.podFailurePolicy, pod).failsJob : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** With restartPolicy OnFailure the pods do not fail, so container restarts are counted. */
function hasTooManyRestarts({ spec }: JobObservation, pods: readonly Pod[], limit: number): boolean {
  if (spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount;
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
  }
  return restarts >= Math.max(limit, 1);
}
