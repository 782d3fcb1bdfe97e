/** ResourceQuota: how much a namespace may use. Start at `resource-quota.ts`. */
export {
  type ResourceQuotaConfiguration,
  readResourceQuotaConfiguration,
  resourceQuotaConfigurationKind,
} from './configuration.ts';
export { resourceQuota } from './resource-quota.ts';
