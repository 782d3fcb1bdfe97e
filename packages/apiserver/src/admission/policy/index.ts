/**
 * Policies that are objects: ValidatingAdmissionPolicy and MutatingAdmissionPolicy, with expressions in CEL. Which of them
 * a write concerns is in `policy-source.ts` and `match-resources.ts`, what expressions see in `environment.ts` and
 * `evaluation.ts`, what comes of them in `validator.ts` and `mutator.ts`.
 */

export { expressionHooks } from './expression-hooks.ts';
export { mutatingAdmissionPolicy } from './mutating-policy.ts';
export { paramAuthorization } from './param-authorization.ts';
export { PolicyMetrics } from './policy-metrics.ts';
export type { PolicyPluginOptions } from './policy-plugin-options.ts';
export { policyStatusController } from './policy-status.ts';
export { servedParams } from './served-params.ts';
export { validatingAdmissionPolicy } from './validating-policy.ts';
