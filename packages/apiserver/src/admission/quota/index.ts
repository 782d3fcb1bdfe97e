/** The ResourceQuota plug-in, which limits the resource usage of namespaces. Start at `resource-quota.ts`. */
export {
  type ResourceQuotaConfiguration,
  readResourceQuotaConfiguration,
  resourceQuotaConfigurationKind,
} from './configuration.ts';
export { resourceQuota } from './resource-quota.ts';
