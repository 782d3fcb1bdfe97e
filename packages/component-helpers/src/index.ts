/**
 * `@coxswain/component-helpers`: rules that several components must see alike, because one plans by them what another does:
 * which nodes a pod may be on, what state a pod is in, which CSI driver stands in for an old volume plugin.
 */
export { driverOfPlugin, type MigratedPlugin, migratedPlugin } from './csi-migration.ts';
export { nodeSelectorTest, preferredNodeAffinity, requiredNodeAffinity } from './node-affinity.ts';
export {
  availableInMs,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  podCondition,
} from './pods.ts';
export { toleratesTaint, untoleratedTaint } from './taints.ts';
