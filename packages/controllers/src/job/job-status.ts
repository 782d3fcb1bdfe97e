import type { Job, JobCondition, JobStatus } from '@coxswain/api/batch/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { finalType, type JobOutcome, newCondition, withCondition } from './job-conditions.ts';

/** The status as it is written: without what is zero or empty and may be left out. */
export function compact({ active, succeeded, failed, completedIndexes, ...status }: JobStatus): JobStatus {
  return {
    ...status,
    ...(active && { active }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
    ...(completedIndexes && { completedIndexes }),
  };
}

/** Whether writing the status would change nothing. */
export function isSameStatus(a: JobStatus = {}, b: JobStatus = {}): boolean {
  const defaults = { uncountedTerminatedPods: {} };
  return semanticEqual({ ...defaults, ...compact(a) }, { ...defaults, ...compact(b) });
}

/** What changes when a Job is suspended or goes on. */
export interface Suspension {
  readonly conditions: JobCondition[];
  /** The deadline counts from when it went on; a suspended Job may be changed as if it had never begun. */
  readonly startTime: string | undefined;
  readonly event: 'Suspended' | 'Resumed';
}

/** Undefined when the status says so already. */
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

/** The status of a Job that has ended; undefined while pods of it are yet to be counted, or to go. */
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
