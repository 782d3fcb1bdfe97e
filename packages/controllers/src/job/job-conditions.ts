import type { Job, JobCondition } from '@coxswain/api/batch/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';

/** The result of a Job: success or failure, with the reason. */
export interface JobOutcome {
  readonly hasSucceeded: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The interim condition announces the result while pods of the Job still exist. The final condition follows when they are gone. */
export const interimType = ({ hasSucceeded }: JobOutcome): string =>
  hasSucceeded ? 'SuccessCriteriaMet' : 'FailureTarget';
export const finalType = ({ hasSucceeded }: JobOutcome): string => (hasSucceeded ? 'Complete' : 'Failed');

/** Returns the outcome that an earlier reconcile decided on, from the interim conditions. */
export function knownOutcome({ status }: Job): JobOutcome | undefined {
  for (const [type, hasSucceeded] of [
    ['SuccessCriteriaMet', true],
    ['FailureTarget', false],
  ] as const) {
    const condition = status?.conditions?.find((one) => one.type === type && one.status === 'True');
    if (condition) return { hasSucceeded, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

export function newCondition(
  type: string,
  status: 'True' | 'False',
  { reason, message }: { readonly reason: string; readonly message: string },
  now: number,
): JobCondition {
  const time = timeFromDate(new Date(now));
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/**
 * Returns the conditions with this one added or replaced, or undefined when nothing changes. A condition with status False that
 * is absent is not added.
 */
export function withCondition(
  given: readonly JobCondition[] | null | undefined,
  condition: JobCondition,
): JobCondition[] | undefined {
  const conditions = given ?? [];
  const known = conditions.find(({ type }) => type === condition.type);
  if (!known) return condition.status === 'False' ? undefined : [...conditions, condition];
  const { status, reason = '', message = '' } = known;
  if (status === condition.status && reason === condition.reason && message === condition.message) return undefined;
  return conditions.map((one) => (one === known ? condition : one));
}
