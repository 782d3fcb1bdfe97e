import type { Namespace } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { type CelValue, fromJson } from '@coxswain/cel';
import { AuthorizerValue, ResourceCheck } from '@coxswain/cel/library';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { type CompiledPolicyExpression, ExpressionProblem } from './environment.ts';
import { LazyVariables } from './lazy-variables.ts';
import { OutOfBudgetError } from './out-of-budget-error.ts';
import { UserAccess } from './user-access.ts';

/** Cost budget of all expressions of a policy, for one binding and parameter. */
export const costBudget = 10_000_000;
/** Cost budget of match conditions, which are counted separately. */
export const conditionCostBudget = 2_500_000;

/** The variables of expressions for one write. */
export interface ExpressionInput {
  readonly attributes: AdmissionAttributes;
  /** In the version that the expressions are for. */
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
  /** The request of an AdmissionReview, without the objects. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly params?: KubernetesObject | undefined;
  readonly namespace?: Namespace | undefined;
  readonly authorizer?: Authorizer | undefined;
}

export type ExpressionResult =
  | { readonly value: CelValue; readonly error?: undefined; readonly seconds: number }
  | { readonly value?: undefined; readonly error: Error; readonly seconds: number };

const noVariables: ReadonlyMap<string, CompiledPolicyExpression> = new Map();

/** Evaluates expressions for one write, one after the other, within a cost budget. */
export class Evaluation {
  readonly #bindings: ReadonlyMap<string, CelValue>;
  readonly #variables: LazyVariables;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #eventLoop: EventLoop;
  #budget: number;

  constructor(input: ExpressionInput, budget: number, variables = noVariables) {
    const bindings = bindingsOf(input);
    const { signal, clock, eventLoop } = input.attributes;
    this.#signal = signal;
    this.#clock = clock;
    this.#eventLoop = eventLoop;
    this.#variables = new LazyVariables(variables, bindings, { eventLoop, ...(signal && { signal }) });
    bindings.set('variables', this.#variables);
    this.#bindings = bindings;
    this.#budget = budget;
  }

  /** The remaining budget. */
  get budget(): number {
    return this.#budget;
  }

  /** Throws OutOfBudgetError. */
  async evaluate({ text, program }: CompiledPolicyExpression): Promise<ExpressionResult> {
    if (program instanceof ExpressionProblem)
      return { error: new Error(`compilation error: ${program.detail}`), seconds: 0 };
    const start = this.#clock.monotonic();
    const options = { eventLoop: this.#eventLoop, ...(this.#signal && { signal: this.#signal }) };
    const { value, error, cost } = await this.#variables.during(
      () => program.evaluateAsync(this.#bindings, options),
      this.#budget,
    );
    const seconds = (this.#clock.monotonic() - start) / 1000;
    this.#pay(this.#variables.takeCost());
    this.#pay(cost);
    if (error) return { error: new Error(`expression '${text}' resulted in error: ${error.message}`), seconds };
    return { value, seconds };
  }

  #pay(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudgetError();
    this.#budget -= cost;
  }
}

function bindingsOf(input: ExpressionInput): Map<string, CelValue> {
  const { object, oldObject, request, params, namespace, authorizer, attributes } = input;
  const { resource, subresource, namespace: inNamespace, name, user } = attributes;
  const bindings = new Map<string, CelValue>([
    ['object', fromJson(object ?? null)],
    ['oldObject', fromJson(oldObject ?? null)],
    ['params', fromJson(params ?? null)],
    ['namespaceObject', fromJson(namespace ? visibleNamespace(namespace) : null)],
    ['request', fromJson(request)],
  ]);
  if (!authorizer) return bindings;
  const asking = new AuthorizerValue(new UserAccess(user, authorizer));
  const { group, resource: plural } = resource;
  return bindings
    .set('authorizer', asking)
    .set(
      'authorizer.requestResource',
      new ResourceCheck(asking, { group, resource: plural, subresource, namespace: inNamespace, name }),
    );
}

/** The namespace without fields that expressions must not see. */
function visibleNamespace({ metadata, spec, status }: Namespace): object {
  const { managedFields: _, ownerReferences: __, selfLink: ___, ...visible } = metadata;
  return { metadata: visible, spec: spec ?? {}, status: status ?? {} };
}
