import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import {
  setBindingDefaults,
  setPolicyDefaults,
  setReinvocationDefaults,
  setWebhookDefaults,
  type WebhookConfiguration,
} from '../v1/defaults.ts';

/** Sets the defaults of v1beta1, which are more lenient than those of v1. */
function setLenientDefaults(configuration: WebhookConfiguration): void {
  for (const webhook of configuration.webhooks ?? []) {
    webhook.sideEffects ??= 'Unknown';
    if (!webhook.admissionReviewVersions?.length) webhook.admissionReviewVersions = ['v1beta1'];
  }
  setWebhookDefaults(configuration, { failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30 });
}

export const behaviour: GroupVersionBehaviour = {
  group: 'admissionregistration.k8s.io',
  version: 'v1beta1',
  defaults: {
    MutatingWebhookConfiguration: (configuration: WebhookConfiguration): void => {
      setLenientDefaults(configuration);
      setReinvocationDefaults(configuration);
    },
    ValidatingWebhookConfiguration: setLenientDefaults,
    ValidatingAdmissionPolicy: setPolicyDefaults,
    ValidatingAdmissionPolicyBinding: setBindingDefaults,
    MutatingAdmissionPolicy: setPolicyDefaults,
    MutatingAdmissionPolicyBinding: setBindingDefaults,
  },
};
