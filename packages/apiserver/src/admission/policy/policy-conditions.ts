import type { MatchCondition } from '@coxswain/api/admissionregistration/v1';
import { BOOL } from '@coxswain/cel';
import type { CompiledPolicyExpression } from '../expressions/environment.ts';
import { conditionCostBudget, Evaluation, type ExpressionInput } from '../expressions/evaluation.ts';
import { aggregateErrors } from '../expressions/match-conditions.ts';
import { OutOfBudgetError } from '../expressions/out-of-budget-error.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** Receives the duration and the result of an evaluation of match conditions. */
export type ConditionsObserver = (seconds: number, result: boolean | Error) => void;

/** The compiled match conditions of a policy. */
export class PolicyConditions {
  readonly #conditions: readonly CompiledPolicyExpression[];
  readonly #variables: ReadonlyMap<string, CompiledPolicyExpression>;

  private constructor(
    conditions: readonly CompiledPolicyExpression[],
    variables: ReadonlyMap<string, CompiledPolicyExpression>,
  ) {
    this.#conditions = conditions;
    this.#variables = variables;
  }

  static async compile(conditions: readonly MatchCondition[], compiler: PolicyCompiler): Promise<PolicyConditions> {
    const compiled: CompiledPolicyExpression[] = [];
    for (const { expression } of conditions)
      compiled.push(await compiler.compile(expression, [BOOL], { authorizer: true }));
    return new PolicyConditions(compiled, compiler.variables);
  }

  /** Whether all conditions are true: false when one is false. Otherwise throws an Error when one has failed. */
  async hold(input: ExpressionInput, observe: ConditionsObserver): Promise<boolean> {
    if (this.#conditions.length === 0) return true;
    const { clock } = input.attributes;
    const start = clock.monotonic();
    const result = await this.#evaluate(input);
    observe((clock.monotonic() - start) / 1000, result);
    if (result instanceof Error) throw result;
    return result;
  }

  async #evaluate({ namespace: _, ...input }: ExpressionInput): Promise<boolean | Error> {
    const evaluation = new Evaluation(input, conditionCostBudget, this.#variables);
    const errors: Error[] = [];
    let allHold = true;
    try {
      for (const condition of this.#conditions) {
        const { value, error } = await evaluation.evaluate(condition);
        if (error) errors.push(error);
        else if (value === false) allHold = false;
      }
    } catch (error) {
      if (error instanceof OutOfBudgetError) return error;
      throw error;
    }
    return allHold && errors.length > 0 ? aggregateErrors(errors) : allHold;
  }
}
