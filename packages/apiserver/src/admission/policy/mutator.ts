import type { MutatingAdmissionPolicy } from '@coxswain/api/admissionregistration/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { EquivalentResource } from '../../registry/equivalent-resource.ts';
import type { AdmissionObjects } from '../admission.ts';
import type { CompiledPolicyExpression } from '../expressions/environment.ts';
import { costBudget, Evaluation, type ExpressionInput } from '../expressions/evaluation.ts';
import { type CompiledMutation, compilationError, compileMutation } from './mutation.ts';
import { PolicyCompiler } from './policy-compiler.ts';
import { type ConditionsObserver, PolicyConditions } from './policy-conditions.ts';

/** The compiled expressions of a MutatingAdmissionPolicy. */
export class Mutator {
  readonly #variables: ReadonlyMap<string, CompiledPolicyExpression>;
  readonly #conditions: PolicyConditions;
  readonly #mutations: readonly CompiledMutation[];

  private constructor(
    variables: ReadonlyMap<string, CompiledPolicyExpression>,
    conditions: PolicyConditions,
    mutations: readonly CompiledMutation[],
  ) {
    this.#variables = variables;
    this.#conditions = conditions;
    this.#mutations = mutations;
  }

  static async compile({ spec = {} }: Pick<MutatingAdmissionPolicy, 'spec'>, eventLoop: EventLoop): Promise<Mutator> {
    const compiler = PolicyCompiler.of(spec.paramKind, eventLoop);
    for (const variable of spec.variables ?? []) await compiler.addVariable(variable);
    const conditions = await PolicyConditions.compile(spec.matchConditions ?? [], compiler);
    const mutations: CompiledMutation[] = [];
    for (const mutation of spec.mutations ?? []) mutations.push(await compileMutation(mutation, compiler));
    return new Mutator(compiler.variables, conditions, mutations);
  }

  /** The number of mutations. */
  get size(): number {
    return this.#mutations.length;
  }

  /** Whether all match conditions are true. Throws an Error when that cannot be determined. */
  concerns(input: ExpressionInput, observe: ConditionsObserver): Promise<boolean> {
    return this.#conditions.hold(input, observe);
  }

  /** Applies one mutation. Returns the same object when nothing changes. Throws like `CompiledMutation.apply`. */
  async mutate(
    index: number,
    input: ExpressionInput & { readonly object: KubernetesObject },
    { kind }: EquivalentResource,
    objects: AdmissionObjects | undefined,
  ): Promise<KubernetesObject> {
    const mutation = this.#mutations[index]!;
    const problem = compilationError(mutation);
    if (problem) throw problem;
    const evaluation = new Evaluation(input, costBudget, this.#variables);
    const { value, error } = await evaluation.evaluate(mutation.expression);
    if (error) throw error;
    return mutation.apply(value, { object: input.object, kind, objects });
  }
}
