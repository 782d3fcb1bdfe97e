import type { MatchCondition } from '@coxswain/api/admissionregistration/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/** The variables of match conditions for one write. */
export interface MatchConditionInput {
  readonly attributes: AdmissionAttributes;
  /** In the version that the webhook is for. */
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
  /** The request of an AdmissionReview, without the objects. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** Returns the result of each condition in order. Those after the first false one may be missing. */
export type EvaluateMatchConditions = (input: MatchConditionInput) => Promise<readonly (boolean | Error)[]>;

/**
 * Compiles conditions. They were validated when they were stored, so a compile error is reported by each evaluation.
 */
export type CompileMatchConditions = (conditions: readonly MatchCondition[]) => EvaluateMatchConditions;

/**
 * Whether all conditions are true. False when one is false, even if others failed; otherwise an Error when one failed.
 */
export async function holds(evaluate: EvaluateMatchConditions, input: MatchConditionInput): Promise<boolean | Error> {
  const results = await evaluate(input);
  if (results.includes(false)) return false;
  const errors = results.filter((result) => result instanceof Error);
  return errors.length === 0 ? true : aggregateErrors(errors);
}

/** Combines errors like upstream: without duplicates, in brackets when there is more than one. */
export const aggregateErrors = (errors: readonly Error[]): Error =>
  new Error(aggregateMessages(errors.map(({ message }) => message)), { cause: errors[0] });
