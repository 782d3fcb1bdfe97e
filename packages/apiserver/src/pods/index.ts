/** What pods have of their own: how they are bound to nodes, evicted and deleted. */

export {
  defaultGarbageCollectionPolicy,
  orphanedPodsWarning,
  podGracePeriodSeconds,
} from '../registry/graceful-deletion.ts';
export { createBinding } from './bind-pod.ts';
export { type EvictionDependencies, evictPod } from './evict-pod.ts';
