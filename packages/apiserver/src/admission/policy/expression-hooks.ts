import type { GroupResource, KubernetesObject } from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Reservation, ResourceHooks, WriteContext } from '../../registry/resource-hooks.ts';

const nothingReserved: Reservation = { commit: () => {}, rollback: () => {} };

const policies: ReadonlySet<string> = new Set(['validatingadmissionpolicies', 'mutatingadmissionpolicies']);
const webhooks: ReadonlySet<string> = new Set(['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']);

/**
 * Compiles expressions before an object is validated, so that their errors are reported with those of validation.
 * Returns undefined for resources without expressions.
 */
export function expressionHooks({ group, resource }: GroupResource, eventLoop: EventLoop): ResourceHooks | undefined {
  if (group !== 'admissionregistration.k8s.io' || !(policies.has(resource) || webhooks.has(resource))) return undefined;
  const begin = async (object: KubernetesObject, old: KubernetesObject | undefined, context: WriteContext) => {
    // CEL is only loaded when there are policies.
    const { checkPolicyExpressions, checkWebhookExpressions } = await import('./expression-checks.ts');
    const check = policies.has(resource) ? checkPolicyExpressions : checkWebhookExpressions;
    context.expressionErrors = (await check(object, old, eventLoop)).errors;
    return nothingReserved;
  };
  return {
    beginCreate: (object, context) => begin(object, undefined, context),
    beginUpdate: begin,
  };
}
