import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@coxswain/api/admissionregistration/v1';
import type { Namespace } from '@coxswain/api/core/v1';
import { ApiError, jsonEquals, type KubernetesObject, newInternalError, quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { EquivalentResource } from '../../registry/equivalent-resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { keepValidManagedFields } from '../keep-valid-managed-fields.ts';
import { ReinvocationRounds } from '../reinvocation-rounds.ts';
import { admissionRequest } from '../webhook/admission-review.ts';
import { MutableVersionedObjects } from '../webhook/versioned-objects.ts';
import { assertTimeLeft } from '../webhook/webhook-caller.ts';
import { cachingAuthorizer } from './caching-authorizer.ts';
import { isExempt } from './exempt.ts';
import type { ResourceMatcher } from './match-resources.ts';
import type { Mutator } from './mutator.ts';
import { collectParams, paramObjects } from './params.ts';
import type { PolicyPluginOptions } from './policy-plugin-options.ts';
import { type ActiveBinding, type ActivePolicy, PolicySource } from './policy-source.ts';
import { requestNamespace } from './request-namespace.ts';

type Binding = ActiveBinding<MutatingAdmissionPolicyBinding>;
type Active = ActivePolicy<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Mutator>;

/** A mutation of a write by a policy, with a binding and a parameter. */
interface Invocation {
  readonly active: Active;
  readonly binding: Binding;
  readonly matched: EquivalentResource;
  readonly params: KubernetesObject | undefined;
}

const plugin = 'MutatingAdmissionPolicy';
const group = 'admissionregistration.k8s.io';

/** Runs MutatingAdmissionPolicies one after the other. Each sees the changes of the previous ones. */
export function mutatingAdmissionPolicy(options: PolicyPluginOptions): AdmissionPlugin {
  const { context, metrics, conditionMetrics, eventLoop } = options;
  const source = new PolicySource<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Mutator>({
    policies: () => context.listers.lister(group, 'mutatingadmissionpolicies'),
    bindings: () => context.listers.lister(group, 'mutatingadmissionpolicybindings'),
    compile: async (policy) => (await import('./mutator.ts')).Mutator.compile(policy, eventLoop),
    context,
    onCollected: (active, gone) => {
      metrics.keepMutations(active);
      for (const name of gone) conditionMetrics.forgetPolicy(name);
    },
  });

  const dispatch = async (attributes: AdmissionAttributes, policies: readonly Active[]): Promise<void> => {
    const write = new MutatedWrite(attributes, options);
    const invocations: Invocation[] = [];
    for (const policy of policies) {
      const matched = policy.matches(attributes);
      if (matched) invocations.push(...(await write.invocations(policy, matched)));
    }
    if (invocations.length > 0) await write.mutate(invocations);
    write.finish();
  };

  return {
    name: plugin,
    // A deletion has no object that could be changed.
    operations: ['CREATE', 'UPDATE', 'CONNECT'],
    admit(attributes) {
      if (isExempt(attributes)) return;
      const policies = source.active();
      if (policies instanceof Promise) return policies.then((found) => dispatch(attributes, found));
      if (policies.length > 0) return dispatch(attributes, policies);
    },
  };
}

/** A write that policies mutate. */
class MutatedWrite {
  readonly #attributes: AdmissionAttributes;
  readonly #options: PolicyPluginOptions;
  readonly #authorizer: PolicyPluginOptions['context']['authorizer'];
  readonly #versioned: MutableVersionedObjects;
  readonly #problems: { readonly message: string; readonly reason?: string }[] = [];

  constructor(attributes: AdmissionAttributes, options: PolicyPluginOptions) {
    this.#attributes = attributes;
    this.#options = options;
    this.#authorizer = cachingAuthorizer(options.context.authorizer);
    this.#versioned = new MutableVersionedObjects(attributes);
  }

  /** Returns the invocations of a policy for the write, one for each binding and parameter. */
  async invocations(active: Active, matching: NonNullable<ReturnType<ResourceMatcher>>): Promise<Invocation[]> {
    const found: Invocation[] = [];
    try {
      const matched = await matching;
      if (!matched) return [];
      const objects = paramObjects(active.policy.spec?.paramKind, this.#options.params);
      for (const binding of active.bindings) {
        try {
          if (!(await binding.matches(this.#attributes))) continue;
          const ref = binding.binding.spec?.paramRef;
          const all = await collectParams(objects, ref, this.#attributes.namespace);
          for (const params of all) found.push({ active, binding, matched, params });
        } catch (error) {
          this.#problem(active, binding, `failed to configure binding: ${messageOf(error)}`);
        }
      }
    } catch (error) {
      this.#problem(active, undefined, `failed to configure policy: ${messageOf(error)}`);
    }
    return found;
  }

  /** Throws an ApiError when the write fails regardless of a policy's failurePolicy. */
  async mutate(invocations: readonly Invocation[]): Promise<void> {
    const managedFields = this.#attributes.object?.metadata?.managedFields;
    const rounds = ReinvocationRounds.of(this.#attributes, plugin);
    try {
      const namespace = await requestNamespace(this.#options.context, this.#attributes);
      let isMutated = false;
      for (const invocation of invocations) {
        assertTimeLeft(this.#attributes);
        if (await this.#invoke(invocation, namespace, rounds)) isMutated = true;
      }
      if (isMutated) rounds.changed();
      await this.#writeBack();
    } finally {
      rounds.ended(this.#attributes.object);
    }
    keepValidManagedFields(this.#attributes, managedFields);
  }

  /** Throws the errors of policies that rejected the write. */
  finish(): void {
    const [first] = this.#problems;
    if (!first) return;
    const { status } = admissionForbidden(this.#attributes, 'admission request denied by policy');
    throw new ApiError({
      ...status,
      message: first.message,
      ...(first.reason && { reason: first.reason }),
      details: { ...status.details, causes: this.#problems.map(({ message }) => ({ message })) },
    });
  }

  /** Returns whether a mutation was evaluated successfully, even if it changed nothing. */
  async #invoke(
    { active, binding, matched, params }: Invocation,
    namespace: Namespace | undefined,
    rounds: ReinvocationRounds,
  ): Promise<boolean> {
    const { metrics, conditionMetrics } = this.#options;
    const { name, policy } = active;
    const { objects, operation, clock } = this.#attributes;
    const mutator = await active.evaluator();
    const request = admissionRequest(this.#attributes, matched);
    const input = async () => ({
      ...(await this.#versioned.inVersion(matched.kind)),
      attributes: this.#attributes,
      request,
      params,
      namespace,
      authorizer: this.#authorizer,
    });
    const before = await input();
    try {
      const concerned = await mutator.concerns(before, (seconds, result) =>
        conditionMetrics.conditionsEvaluated(name, 'admit', operation, seconds, result, 'policy'),
      );
      if (!concerned) return false;
    } catch (error) {
      this.#problem(active, binding, messageOf(error), 'Invalid');
      return false;
    }
    const id = invocationId(name, binding.name, params);
    if (!rounds.concerns(id)) return false;
    let isMutated = false;
    for (let index = 0; index < mutator.size; index++) {
      const current = await input();
      const { object } = current;
      if (!object) break;
      const start = clock.monotonic();
      let problem: unknown;
      try {
        this.#versioned.replace(await mutator.mutate(index, { ...current, object }, matched, objects));
        isMutated = true;
      } catch (error) {
        problem = error;
      }
      metrics.mutated(name, binding.name, problem, (clock.monotonic() - start) / 1000);
      if (problem instanceof ApiError) throw problem;
      if (problem !== undefined) this.#problem(active, binding, messageOf(problem), 'Invalid');
    }
    if (isMutated && !jsonEquals(before.object, (await input()).object)) rounds.changed();
    rounds.called(id, policy.spec?.reinvocationPolicy === 'IfNeeded');
    return isMutated;
  }

  async #writeBack(): Promise<void> {
    try {
      await this.#versioned.writeBack();
    } catch (error) {
      throw newInternalError(`failed to convert object: ${messageOf(error)}`);
    }
  }

  #problem({ name, policy }: Active, binding: Binding | undefined, why: string, reason?: string): void {
    if (policy.spec?.failurePolicy === 'Ignore') return;
    const who = binding ? `policy '${name}' with binding '${binding.name}'` : `policy ${quote(name)}`;
    this.#problems.push({ message: `${who} denied request: ${why}`, ...(reason && { reason }) });
  }
}

/** The same in both rounds of reinvocation. */
const invocationId = (policy: string, binding: string, params: KubernetesObject | undefined): string =>
  JSON.stringify([policy, binding, params?.metadata?.namespace ?? '', params?.metadata?.name ?? '']);
