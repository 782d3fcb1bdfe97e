/** ResourceQuota: how much a namespace may use. Start at `resource-quota.ts`; `usage-of.ts` counts what is there. */
export {
  type ResourceQuotaConfiguration,
  readResourceQuotaConfiguration,
  resourceQuotaConfigurationKind,
} from './configuration.ts';
export { newEvaluators } from './evaluators.ts';
export { resourceQuota } from './resource-quota.ts';
export { usageOf } from './usage-of.ts';
