// Computes how much of a namespace's quotas its objects use. `usage-of.ts` sums up the usage of existing objects; an
// `Evaluator` (`evaluator.ts`) computes that of one object.
export {
  type Amounts,
  addTo,
  amountsOf,
  type ResourceList,
  replaceIn,
  resourceListOf,
} from './amounts.ts';
export { claimClass } from './claim-class.ts';
export { containerAmounts, podLevelAmounts, type ResourceKind, specAmounts } from './container-amounts.ts';
export { type Evaluator, isInScopes, matchingScopes, type Scope, scopesOf } from './evaluator.ts';
export { type Evaluators, newEvaluators } from './evaluators.ts';
export { isQuotaIgnored } from './is-quota-ignored.ts';
export type { ClaimRelations } from './resource-claim-evaluator.ts';
export { usageOf } from './usage-of.ts';
