/**
 * `@coxswain/api`: the catalogue of every kind of Kubernetes v1.36. A kind is data (`Catalogue`), TypeScript types
 * (`@coxswain/api/apps/v1`), and code: defaults, validation, conversion, strategy, table columns, in one folder per
 * group and version.
 *
 * It serves nothing and stores nothing: the API server does, by calling the functions of `strategy/`.
 *
 * Where to start: `catalogue/catalogue.ts`, then `strategy/strategy.ts`.
 */
export {
  applyDefaults,
  coerceEmbeddedResources,
  compileSchemaValidator,
  isUnchanged,
  newStructural,
  oldItems,
  oldOfKey,
  prune,
  pruneNulls,
  readObjectMeta,
  type SchemaValidator,
  type Structural,
  stringFormat,
  uncorrelated,
  validateEmbeddedResources,
  validateUniqueLists,
} from './apiextensions/schema/index.ts';
export { approvalAnnotation, approvalState, isProtectedGroup } from './apiextensions/v1/approval.ts';
export { validateCABundle } from './apiextensions/v1/ca-bundle.ts';
export { validateDefaults } from './apiextensions/v1/default-values.ts';
export { resolveFieldPath } from './apiextensions/v1/field-path.ts';
export { internalRule } from './apiextensions/v1/internal-form.ts';
export type {
  DefaultCheck,
  DefaultCheckOptions,
  RuleCheckOptions,
  RuleChecks,
} from './apiextensions/v1/rule-checks.ts';
export { definitionStrategyWithRules } from './apiextensions/v1/strategy.ts';
export { isStructural, structuralProblem, validateStructural } from './apiextensions/v1/structural.ts';
export { validateTokenRequest } from './authentication/v1/token-request.ts';
export {
  applyScale,
  type ScalableWorkload,
  scaleFromReplicationController,
  scaleFromWorkload,
} from './autoscaling/v1/index.ts';
export { type CronSchedule, parseCronSchedule } from './batch/v1/index.ts';
export { conversionFor, defaulterFor, strategyFor } from './built-in-kinds.ts';
export {
  type GroupVersionResources,
  type Resource,
  type Stability,
  type Subresource,
  stabilityOf,
} from './built-in-resource.ts';
export { Catalogue, type Kind } from './catalogue/catalogue.ts';
export { deprecationWarning } from './catalogue/deprecations.ts';
export { parseRequest as parseSigningRequest } from './certificates/v1/request-pem.ts';
export { newCodecFactory } from './codecs.ts';
export {
  bindingConflict,
  bindPod,
  isExtendedResourceName,
  podQOS,
  podLimits,
  podRequests,
  validateBinding,
  validatePodLogOptions,
  validateTolerations,
} from './core/v1/pod/index.ts';
export { storageClassAnnotation } from './core/v1/storage-class-annotation.ts';
export { type Descriptions, loadColumnDescriptions, loadDescriptions } from './explain/descriptions.ts';
export { FeatureGates, type FeatureName } from './features/feature-gates.ts';
export {
  type Amounts,
  addTo,
  amountsOf,
  type ClaimRelations,
  claimClass,
  containerAmounts,
  type Evaluator,
  type Evaluators,
  isInScopes,
  isQuotaIgnored,
  matchingScopes,
  newEvaluators,
  podLevelAmounts,
  type ResourceKind,
  type ResourceList,
  replaceIn,
  resourceListOf,
  type Scope,
  scopesOf,
  specAmounts,
  usageOf,
} from './quota/index.ts';
export { newScheme } from './scheme.ts';
export { judgeCreate, judgeUpdate, type Verdict } from './strategy/judge.ts';
export { prepareForCreate, prepareForSubresourceUpdate, prepareForUpdate } from './strategy/prepare.ts';
export { humanDuration } from './strategy/print.ts';
export type {
  Defaulter,
  GroupVersionBehaviour,
  HubConversion,
  Strategy,
  StrategyContext,
  SubresourceStrategy,
  UserInfo,
} from './strategy/strategy.ts';
export type { Cell, Column, PrintContext, TablePrinter } from './strategy/table.ts';
export {
  validateCreate,
  validateCreateInSteps,
  validateUpdate,
  validateUpdateInSteps,
} from './strategy/validate.ts';
