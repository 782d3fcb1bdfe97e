import { quote } from '@coxswain/apimachinery';
import {
  type Bindings,
  CelError,
  CelMap,
  type CelType,
  type CelValue,
  type AsyncEvaluationOptions,
  type EvaluationResult,
  objectType,
} from '@coxswain/cel';
import { type CompiledPolicyExpression, ExpressionProblem } from './environment.ts';
import { OutOfBudgetError } from './out-of-budget-error.ts';

/** Thrown when an evaluation needs a variable that must be awaited. The evaluation is restarted afterwards. */
class VariableNeeded {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Maximum depth of nested variables on the stack. Deeper variables are evaluated separately. */
const maxDepth = 32;

const variablesType: CelType = objectType('kubernetes.variables');

/**
 * The variables of a policy. Each is evaluated when it is first used, and keeps its value. The costs are summed up
 * here.
 */
export class LazyVariables extends CelMap {
  readonly #expressions: ReadonlyMap<string, CompiledPolicyExpression>;
  readonly #bindings: Bindings;
  readonly #options: AsyncEvaluationOptions;
  readonly #values = new Map<string, CelValue | CelError>();
  /** Evaluations in progress. */
  readonly #pending = new Map<string, Promise<EvaluationResult>>();
  #cost = 0;
  #depth = 0;

  /** `bindings` must contain these variables. */
  constructor(
    expressions: ReadonlyMap<string, CompiledPolicyExpression>,
    bindings: Bindings,
    options: AsyncEvaluationOptions,
  ) {
    super();
    this.#expressions = expressions;
    this.#bindings = bindings;
    this.#options = options;
  }

  override get objectType(): CelType {
    return variablesType;
  }

  get size(): number {
    return this.#expressions.size;
  }

  keys(): Iterable<CelValue> {
    return this.#expressions.keys();
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw new CelError('no such overload');
    const expression = this.#expressions.get(key);
    if (!expression) return undefined;
    if (!this.#values.has(key)) this.#begin(key, expression);
    const value = this.#values.get(key) ?? null;
    if (value instanceof CelError) throw value;
    return value;
  }

  /** Returns the cost of evaluations since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  /**
   * Runs an evaluation, and restarts it whenever a variable must be awaited. Throws OutOfBudgetError when the variables
   * have cost more than the budget: restarts are not counted in the cost, and must be bounded.
   */
  async during(
    evaluate: () => EvaluationResult | Promise<EvaluationResult>,
    budget: number,
  ): Promise<EvaluationResult> {
    for (;;) {
      try {
        return await evaluate();
      } catch (error) {
        if (!(error instanceof VariableNeeded)) throw error;
        await this.#finish(error.name, budget);
        if (this.#cost > budget) throw new OutOfBudgetError();
      }
    }
  }

  /** Throws VariableNeeded. */
  #begin(name: string, { program }: CompiledPolicyExpression): void {
    if (program instanceof ExpressionProblem) {
      this.#values.set(name, new CelError(`composited variable ${quote(name)} fails to compile: ${program.detail}`));
      return;
    }
    if (this.#depth >= maxDepth || this.#pending.has(name)) throw new VariableNeeded(name);
    this.#depth++;
    try {
      const result = program.evaluateAsync(this.#bindings, this.#options);
      if (!(result instanceof Promise)) {
        this.#keep(name, result);
        return;
      }
      // The rejection is handled in `#finish`.
      result.catch(() => {});
      this.#pending.set(name, result);
    } finally {
      this.#depth--;
    }
    throw new VariableNeeded(name);
  }

  async #finish(name: string, budget: number): Promise<void> {
    const program = this.#expressions.get(name)?.program;
    if (this.#values.has(name) || !program || program instanceof ExpressionProblem) return;
    const result = await this.during(() => {
      const pending = this.#pending.get(name);
      this.#pending.delete(name);
      return pending ?? program.evaluateAsync(this.#bindings, this.#options);
    }, budget);
    this.#keep(name, result);
  }

  #keep(name: string, { value, error, cost }: EvaluationResult): void {
    this.#cost += cost;
    this.#values.set(
      name,
      error ? new CelError(`composited variable ${quote(name)} fails to evaluate: ${error.message}`) : value,
    );
  }
}
