import type { KubernetesObject } from '@coxswain/apimachinery';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../generated/admissionregistration/v1.ts';
import type { ExpressionErrors, Strategy } from '../../strategy/strategy.ts';
import { validateMutatingPolicyBinding, validateValidatingPolicyBinding } from './binding-validation.ts';
import {
  validateMutatingPolicy,
  validateValidatingPolicy,
  validateValidatingPolicyStatus,
} from './policy-validation.ts';
import { staticNameWarnings, validateStaticName } from './static-name.ts';
import { bindingTable, mutatingPolicyTable, validatingPolicyTable, webhookTable } from './tables.ts';
import { validateWebhooks, validateWebhooksUpdate } from './webhook-validation.ts';

/**
 * The strategy that all kinds of the group share: on update, the new object is validated by the rules of creation,
 * relaxed by the old object.
 */
function strategy<T extends KubernetesObject>(
  own: Pick<Strategy<T>, 'generation' | 'table' | 'subresources'> & {
    validate: (object: T, old?: T, expressions?: ExpressionErrors) => ReturnType<typeof validateStaticName>;
  },
): Strategy<T> {
  return {
    ...own,
    ...staticNameWarnings,
    allowUnconditionalUpdate: false,
    validate: (object, context) => [
      ...own.validate(object, undefined, context.expressionErrors),
      ...validateStaticName(object, context),
    ],
    validateUpdate: (object, old, context) => own.validate(object, old, context.expressionErrors),
  };
}

const configuration = strategy<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>({
  generation: ['webhooks'],
  table: webhookTable,
  validate: ({ webhooks }, old, expressions) =>
    old ? validateWebhooksUpdate(webhooks, old.webhooks, expressions) : validateWebhooks(webhooks, expressions),
});

export const strategies = {
  MutatingWebhookConfiguration: configuration,
  ValidatingWebhookConfiguration: configuration,
  ValidatingAdmissionPolicy: strategy<ValidatingAdmissionPolicy>({
    generation: ['spec'],
    table: validatingPolicyTable,
    validate: validateValidatingPolicy,
    subresources: {
      status: {
        owns: ['status'],
        metadata: 'none',
        validateUpdate: validateValidatingPolicyStatus,
        warningsOnUpdate: staticNameWarnings.warningsOnUpdate!,
      },
    },
  }),
  ValidatingAdmissionPolicyBinding: strategy<ValidatingAdmissionPolicyBinding>({
    generation: ['spec'],
    table: bindingTable,
    validate: validateValidatingPolicyBinding,
  }),
  MutatingAdmissionPolicy: strategy<MutatingAdmissionPolicy>({
    generation: ['spec'],
    table: mutatingPolicyTable,
    validate: validateMutatingPolicy,
  }),
  MutatingAdmissionPolicyBinding: strategy<MutatingAdmissionPolicyBinding>({
    generation: ['spec'],
    table: bindingTable,
    validate: validateMutatingPolicyBinding,
  }),
};
