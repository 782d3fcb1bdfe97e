/**
 * `@coxswain/component-helpers`: rules that several components must evaluate identically, because one predicts by them what another does:
 * which nodes a pod can run on, the state of a pod, and which CSI driver replaces an in-tree volume plugin.
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
