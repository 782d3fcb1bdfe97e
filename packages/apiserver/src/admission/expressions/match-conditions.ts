import type { MatchCondition } from '@coxswain/api/admissionregistration/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/** What expressions see of a write. */
export interface MatchConditionInput {
  readonly attributes: AdmissionAttributes;
  /** In the version that the webhook is for. */
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
  /** As an AdmissionReview has it, but without the objects. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** What became of each condition, in their order; those after the first that does not hold may be missing. */
export type EvaluateMatchConditions = (input: MatchConditionInput) => Promise<readonly (boolean | Error)[]>;

/** Reads conditions once. They were found in order when they were stored; what fails now fails at each evaluation. */
export type CompileMatchConditions = (conditions: readonly MatchCondition[]) => EvaluateMatchConditions;

/** Whether all conditions hold; an Error when that cannot be said. One that does not hold decides, whatever else failed. */
export async function holds(evaluate: EvaluateMatchConditions, input: MatchConditionInput): Promise<boolean | Error> {
  const results = await evaluate(input);
  if (results.includes(false)) return false;
  const errors = results.filter((result) => result instanceof Error);
  return errors.length === 0 ? true : aggregateErrors(errors);
}

/** As upstream prints several errors: each text once, in brackets when there is more than one. */
export const aggregateErrors = (errors: readonly Error[]): Error =>
  new Error(aggregateMessages(errors.map(({ message }) => message)), { cause: errors[0] });
