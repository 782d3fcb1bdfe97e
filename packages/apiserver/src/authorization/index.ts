/**
 * Authorization: the authorizers, escalation and signer checks, access reviews and impersonation. Start at
 * `authorization-modes.ts`.
 */

export type { AuthorizationAttributes, Authorizer } from '@coxswain/component-base/authorization';
export { forbidden, withoutMarkup } from '@coxswain/component-base/authorization';
export { reviewLocalSubjectAccess, reviewSelfSubjectAccess, reviewSubjectAccess } from './access-review.ts';
export {
  type Authorization,
  type AuthorizationMode,
  authorizationModes,
  newAuthorization,
} from './authorization-modes.ts';
export { checkBindingEscalation, checkRoleEscalation } from './escalation-check.ts';
export { Impersonation } from './impersonation.ts';
export { isImpersonationHeader } from './impersonation-headers.ts';

export { resourceAttributes } from './resource-attributes.ts';
export { reviewSelfSubject, reviewSelfSubjectRules } from './self-review.ts';
export { checkCertificateApproval, checkCertificateSigning, checkTrustBundleAttestation } from './signer-check.ts';
export type { AuthorizationConfiguration } from './webhook/authorization-configuration.ts';
export { AuthorizationMetrics } from './webhook/authorization-metrics.ts';
export { parseAuthorizationConfigurationFile } from './webhook/configured-authorizer.ts';
export {
  checkAuthorizationConfiguration,
  type PreparedAuthorization,
  prepareAuthorizers,
} from './webhook/prepare-authorization.ts';
