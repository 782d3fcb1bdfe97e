import type { Job, JobCondition } from '@coxswain/api/batch/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';

/** How a Job ends. */
export interface JobOutcome {
  readonly hasSucceeded: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Says how the Job will end, while there are pods of it yet; then the other says how it has. */
export const interimType = ({ hasSucceeded }: JobOutcome): string =>
  hasSucceeded ? 'SuccessCriteriaMet' : 'FailureTarget';
export const finalType = ({ hasSucceeded }: JobOutcome): string => (hasSucceeded ? 'Complete' : 'Failed');

/** What an earlier reconcile has decided. */
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
 * The conditions with this one in them; undefined when they say the same already. What is not true and was never
 * mentioned needs no mention.
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
