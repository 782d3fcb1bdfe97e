import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@coxswain/api/admissionregistration/v1';
import { ApiError, type GroupVersionKind, type KubernetesObject } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { EquivalentResource } from '../../registry/equivalent-resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { admissionRequest } from '../webhook/admission-review.ts';
import { inVersion, type VersionedObjects } from '../webhook/versioned-objects.ts';
import { assertTimeLeft } from '../webhook/webhook-caller.ts';
import { cachingAuthorizer } from './caching-authorizer.ts';
import { isExempt } from './exempt.ts';
import type { ResourceMatcher } from './match-resources.ts';
import { collectParams, paramObjects } from './params.ts';
import type { ConditionsObserver } from './policy-conditions.ts';
import type { PolicyPluginOptions } from './policy-plugin-options.ts';
import { type ActiveBinding, type ActivePolicy, PolicySource } from './policy-source.ts';
import { requestNamespace } from './request-namespace.ts';
import type { Decision, Validator, Verdict } from './validator.ts';

type Binding = ActiveBinding<ValidatingAdmissionPolicyBinding>;
type Active = ActivePolicy<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Validator>;

/** The reason why a policy rejects a write. Without a binding, the policy itself is invalid. */
interface Denial {
  readonly policy: string;
  readonly binding?: string;
  readonly message: string;
  readonly reason?: string;
}

const group = 'admissionregistration.k8s.io';
/** For one annotation, of different bindings and parameters. */
const maxAnnotationValues = 100;

/** Runs ValidatingAdmissionPolicies. All are evaluated; the first violation in order is reported. */
export function validatingAdmissionPolicy(options: PolicyPluginOptions): AdmissionPlugin {
  const { context, metrics, conditionMetrics, eventLoop } = options;
  const source = new PolicySource<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Validator>({
    policies: () => context.listers.lister(group, 'validatingadmissionpolicies'),
    bindings: () => context.listers.lister(group, 'validatingadmissionpolicybindings'),
    compile: async (policy) => (await import('./validator.ts')).Validator.compile(policy, eventLoop),
    context,
    onCollected: (active, gone) => {
      metrics.keepValidations(active);
      for (const name of gone) conditionMetrics.forgetPolicy(name);
    },
  });

  const dispatch = async (attributes: AdmissionAttributes, policies: readonly Active[]): Promise<void> => {
    const write = new PolicedWrite(attributes, options);
    for (const policy of policies) {
      const matched = policy.matches(attributes);
      if (matched) await write.subject(policy, matched);
    }
    write.finish();
  };

  return {
    name: 'ValidatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate(attributes) {
      if (isExempt(attributes)) return;
      const policies = source.active();
      if (policies instanceof Promise) return policies.then((found) => dispatch(attributes, found));
      if (policies.length > 0) return dispatch(attributes, policies);
    },
  };
}

/** A write that policies validate. */
class PolicedWrite {
  readonly #attributes: AdmissionAttributes;
  readonly #options: PolicyPluginOptions;
  readonly #authorizer: PolicyPluginOptions['context']['authorizer'];
  /** The first denial. */
  #denial: Denial | undefined;

  constructor(attributes: AdmissionAttributes, options: PolicyPluginOptions) {
    this.#attributes = attributes;
    this.#options = options;
    this.#authorizer = cachingAuthorizer(options.context.authorizer);
  }

  /** Evaluates a policy with each of its bindings. */
  async subject(active: Active, matching: NonNullable<ReturnType<ResourceMatcher>>): Promise<void> {
    const { policy, name } = active;
    let matched: EquivalentResource | undefined;
    let objects: ReturnType<typeof paramObjects>;
    try {
      matched = await matching;
      if (!matched) return;
      objects = paramObjects(policy.spec?.paramKind, this.#options.params);
    } catch (error) {
      this.#misconfigured(active, undefined, error);
      return;
    }
    const validator = await active.evaluator();
    const observe = this.#conditionsObserver(name);
    const request = admissionRequest(this.#attributes, matched);
    const annotations = new Map<string, Set<string>>();
    let versioned: VersionedObjects | undefined;
    for (const binding of active.bindings) {
      let params: readonly (KubernetesObject | undefined)[];
      try {
        if (!(await binding.matches(this.#attributes))) continue;
        params = await collectParams(objects, binding.binding.spec?.paramRef, this.#attributes.namespace);
        if (params.length === 0) continue;
        versioned ??= await this.#inVersion(matched.kind);
      } catch (error) {
        this.#misconfigured(active, binding, error);
        continue;
      }
      const namespace = await requestNamespace(this.#options.context, this.#attributes);
      const input = { ...versioned, attributes: this.#attributes, request, namespace, authorizer: this.#authorizer };
      for (const one of params) {
        assertTimeLeft(this.#attributes);
        const verdict = await validator.validate({ ...input, params: one }, observe);
        this.#enforce(active, binding, verdict);
        for (const [key, value] of verdict.annotations) {
          const values = annotations.get(key) ?? new Set();
          // Differs from upstream, which has no limit on the number of values.
          if (values.size < maxAnnotationValues) annotations.set(key, values.add(value));
        }
      }
    }
    for (const [key, values] of annotations) this.#attributes.annotate(`${name}/${key}`, [...values].join(', '));
  }

  /** Throws the first denial. */
  finish(): void {
    if (!this.#denial) return;
    const { policy, binding, message: why, reason = 'Invalid' } = this.#denial;
    const by = binding === undefined ? '' : ` with binding '${binding}'`;
    const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${why}`;
    const { status } = admissionForbidden(this.#attributes, message);
    throw new ApiError({
      ...status,
      reason,
      code: codes.get(reason) ?? 422,
      details: { ...status.details, causes: [{ message }] },
    });
  }

  #conditionsObserver(policy: string): ConditionsObserver {
    const { operation } = this.#attributes;
    return (seconds, result) =>
      this.#options.conditionMetrics.conditionsEvaluated(policy, 'validating', operation, seconds, result, 'policy');
  }

  async #inVersion(kind: GroupVersionKind): Promise<VersionedObjects> {
    try {
      return await inVersion(this.#attributes, kind);
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new Error(`failed to convert object version: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }

  #misconfigured({ policy, name }: Active, binding: Binding | undefined, error: unknown): void {
    if (policy.spec?.failurePolicy === 'Ignore') return;
    const what = binding ? 'failed to configure binding' : 'failed to configure policy';
    const message = `${what}: ${messageOf(error)}`;
    this.#denial ??= { policy: name, ...(binding && { binding: binding.name }), message };
  }

  #enforce({ name }: Active, { name: bindingName, binding }: Binding, verdict: Verdict): void {
    const { metrics } = this.#options;
    const denial = ({ message, reason }: Decision): Denial => ({
      policy: name,
      binding: bindingName,
      message,
      ...(reason && { reason }),
    });
    verdict.decisions.forEach((decision, index) => {
      const { outcome, denies, message, seconds } = decision;
      const kind = errorType(decision);
      if (!denies) {
        if (outcome === 'error') metrics.validated(name, bindingName, kind, 'allow', seconds);
        return;
      }
      for (const action of binding.spec?.validationActions ?? []) {
        if (action === 'Deny') {
          this.#denial ??= denial(decision);
          metrics.validated(name, bindingName, kind, 'deny', seconds);
        } else if (action === 'Audit') {
          this.#attributes.annotate(failureAnnotation, failureOf(binding, index, message));
          metrics.validated(name, bindingName, kind, 'audit', seconds);
        } else if (action === 'Warn') {
          this.#attributes.warn(
            `Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${bindingName}': ${message}`,
          );
          metrics.validated(name, bindingName, kind, 'warn', seconds);
        }
      }
    });
    // For any validationActions of the binding.
    for (const decision of verdict.annotationErrors) {
      this.#denial ??= denial(decision);
      metrics.validated(name, bindingName, errorType(decision), 'deny', decision.seconds);
    }
  }
}

const codes: ReadonlyMap<string, number> = new Map([
  ['Forbidden', 403],
  ['Unauthorized', 401],
  ['RequestEntityTooLarge', 413],
  ['Invalid', 422],
]);

const failureAnnotation = 'validation.policy.admission.k8s.io/validation_failure';

/** The audit annotation in upstream's format. */
const failureOf = (
  { metadata, spec }: ValidatingAdmissionPolicyBinding,
  expressionIndex: number,
  message: string,
): string =>
  JSON.stringify([
    {
      message,
      policy: spec?.policyName ?? '',
      binding: metadata.name ?? '',
      expressionIndex,
      validationActions: spec?.validationActions ?? [],
    },
  ]).replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

function errorType({ outcome, message }: Decision): string {
  if (outcome === 'admit') return 'no_error';
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}
