import type { AdmissionAttributes } from '../admission.ts';

const exempt: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Exempts the configuration of admission, which otherwise could make it impossible to fix it. */
export const isExempt = ({ kind }: AdmissionAttributes): boolean =>
  kind.group === 'admissionregistration.k8s.io' && exempt.has(kind.kind);
