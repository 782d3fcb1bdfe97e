/**
 * `@coxswain/api`: the catalogue of every kind of Kubernetes v1.36. A kind is data (`Catalogue`), types
 * (`@coxswain/api/apps/v1`), and what data can't say: defaults, validation, conversion, strategy, table columns, in one
 * folder per group and version.
 *
 * It serves nothing and stores nothing: that is the API server's work, which walks through `strategy/`.
 *
 * Where to start: `catalogue/catalogue.ts`, then `strategy/strategy.ts`.
 */
export { validateTokenRequest } from './authentication/v1/token-request.ts';
export {
  applyScale,
  type ScalableWorkload,
  scaleFromReplicationController,
  scaleFromWorkload,
} from './autoscaling/v1/index.ts';
export { type CronSchedule, parseCronSchedule } from './batch/v1/index.ts';
export { conversionFor, defaulterFor, strategyFor } from './built-in-kinds.ts';
export { Catalogue, type Kind } from './catalogue/catalogue.ts';
export { deprecationWarning } from './catalogue/deprecations.ts';
export {
  type GroupVersionResources,
  type Resource,
  type Stability,
  type Subresource,
  stabilityOf,
} from './catalogue/resource.ts';
export { DerReader, pemBlocks, tags as derTags, X509Error } from './certificates/x509/index.ts';
export { newCodecFactory } from './codecs.ts';
export { bindingConflict, bindPod, validateBinding, validatePodLogOptions } from './core/v1/pod/index.ts';
export { type Descriptions, loadDescriptions } from './explain/descriptions.ts';
export { FeatureGates, type FeatureName } from './features/feature-gates.ts';
export { newScheme } from './scheme.ts';
export { judgeCreate, judgeUpdate, type Verdict } from './strategy/judge.ts';
export { prepareForCreate, prepareForSubresourceUpdate, prepareForUpdate } from './strategy/prepare.ts';
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
export { validateCreate, validateUpdate } from './strategy/validate.ts';
