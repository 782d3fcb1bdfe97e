/**
 * ValidatingAdmissionPolicy and MutatingAdmissionPolicy, with expressions in CEL. `policy-source.ts` and
 * `match-resources.ts` find the policies for a write, `environment.ts` and `evaluation.ts` have the variables of
 * expressions, and `validator.ts` and `mutator.ts` process the results.
 */

export { expressionHooks } from './expression-hooks.ts';
export { mutatingAdmissionPolicy } from './mutating-policy.ts';
export { paramAuthorization } from './param-authorization.ts';
export { PolicyMetrics } from './policy-metrics.ts';
export type { PolicyPluginOptions } from './policy-plugin-options.ts';
export { policyStatusController } from './policy-status.ts';
export { servedParams } from './served-params.ts';
export { validatingAdmissionPolicy } from './validating-policy.ts';
