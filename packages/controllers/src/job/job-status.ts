import type { Job, JobCondition, JobStatus } from '@coxswain/api/batch/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { finalType, type JobOutcome, newCondition, withCondition } from './job-conditions.ts';

/** Omits zero and empty fields, as in the serialized form. */
export function compact({ active, succeeded, failed, completedIndexes, ...status }: JobStatus): JobStatus {
  return {
    ...status,
    ...(active && { active }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
    ...(completedIndexes && { completedIndexes }),
  };
}

/** Whether the statuses are equal, so that no write is needed. */
export function isSameStatus(a: JobStatus = {}, b: JobStatus = {}): boolean {
  const defaults = { uncountedTerminatedPods: {} };
  return semanticEqual({ ...defaults, ...compact(a) }, { ...defaults, ...compact(b) });
}

/** The changes when a Job is suspended or resumed. */
export interface Suspension {
  readonly conditions: JobCondition[];
  /** Undefined for a suspended Job, so that it can be changed like an unstarted one. When resumed, the deadline counts from now. */
  readonly startTime: string | undefined;
  readonly event: 'Suspended' | 'Resumed';
}

/** Returns the changes, or undefined when the status is up to date. */
export function suspensionOf({ spec, status }: Job, now: number): Suspension | undefined {
  const isSuspended = spec?.suspend === true;
  const why = isSuspended
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' };
  const condition = newCondition('Suspended', isSuspended ? 'True' : 'False', why, now);
  const conditions = withCondition(status?.conditions, condition);
  if (!conditions) return undefined;
  return isSuspended
    ? { conditions, startTime: undefined, event: 'Suspended' }
    : { conditions, startTime: timeFromDate(new Date(now)), event: 'Resumed' };
}

/** Returns the status of the finished Job, or undefined while there are uncounted or terminating pods. */
export function finishedStatus(status: JobStatus, outcome: JobOutcome, now: number): JobStatus | undefined {
  const succeeded = status.uncountedTerminatedPods?.succeeded ?? [];
  const failed = status.uncountedTerminatedPods?.failed ?? [];
  if (succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return undefined;
  const condition = newCondition(finalType(outcome), 'True', outcome, now);
  return {
    ...status,
    conditions: withCondition(status.conditions, condition) ?? status.conditions ?? [],
    ...(outcome.hasSucceeded && { completionTime: timeFromDate(new Date(now)) }),
  };
}
