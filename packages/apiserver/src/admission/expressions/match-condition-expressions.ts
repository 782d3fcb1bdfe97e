import type { MatchCondition } from '@coxswain/api/admissionregistration/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { BOOL } from '@coxswain/cel';
import type { Authorizer } from '../../authorization/index.ts';
import { admissionEnvironment, type CompiledPolicyExpression, compileExpression } from './environment.ts';
import { conditionCostBudget, Evaluation } from './evaluation.ts';
import type { MatchConditionInput } from './match-conditions.ts';
import { OutOfBudgetError } from './out-of-budget-error.ts';

const environment = admissionEnvironment({ authorizer: true });

export const compileExpressions = (
  conditions: readonly MatchCondition[],
  eventLoop: EventLoop,
): Promise<CompiledPolicyExpression[]> =>
  Promise.all(conditions.map(({ expression }) => compileExpression(environment, expression, [BOOL], eventLoop)));

/** Evaluates all conditions in order. */
export async function evaluateExpressions(
  expressions: readonly CompiledPolicyExpression[],
  input: MatchConditionInput,
  authorizer: Authorizer,
): Promise<(boolean | Error)[]> {
  const evaluation = new Evaluation({ ...input, authorizer }, conditionCostBudget);
  const results: (boolean | Error)[] = [];
  try {
    for (const expression of expressions) {
      const { value, error } = await evaluation.evaluate(expression);
      results.push(error ?? value === true);
    }
  } catch (error) {
    if (error instanceof OutOfBudgetError) return [error];
    throw error;
  }
  return results;
}
