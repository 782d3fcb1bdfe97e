import type { MatchCondition } from '@coxswain/api/admissionregistration/v1';
import { BOOL } from '../../cel/index.ts';
import { aggregateErrors } from '../webhook/match-conditions.ts';
import type { CompiledPolicyExpression } from './environment.ts';
import { conditionCostBudget, Evaluation, type ExpressionInput } from './evaluation.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** What policies of all sorts have in common once they are read. */
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
    for (const { expression } of conditions) compiled.push(await compiler.compile(expression, [BOOL], { authorizer: true }));
    return new PolicyConditions(compiled, compiler.variables);
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Whether all of them hold; one that does not decides, whatever else fails. Throws an Error when that cannot be said. */
  async hold(input: ExpressionInput): Promise<boolean> {
    const { namespace: _, ...rest } = input;
    const evaluation = new Evaluation(rest, conditionCostBudget, this.#variables);
    const errors: Error[] = [];
    let allHold = true;
    for (const condition of this.#conditions) {
      const { value, error } = await evaluation.evaluate(condition);
      if (error) errors.push(error);
      else if (value === false) allHold = false;
    }
    if (!allHold) return false;
    if (errors.length > 0) throw aggregateErrors(errors);
    return true;
  }
}
