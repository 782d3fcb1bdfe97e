import type { AdmissionAttributes } from '../admission.ts';

const exempt: ReadonlySet<string> = new Set([
  ...[
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ].map((resource) => `${resource}.admissionregistration.k8s.io`),
  ...['selfsubjectreviews', 'tokenreviews'].map((resource) => `${resource}.authentication.k8s.io`),
  ...['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'].map(
    (resource) => `${resource}.authorization.k8s.io`,
  ),
]);

/** Exempts policies, which could otherwise become impossible to fix, and reviews of authentication and access. */
export const isExempt = ({ resource }: AdmissionAttributes): boolean => exempt.has(`${resource.groupResource}`);
