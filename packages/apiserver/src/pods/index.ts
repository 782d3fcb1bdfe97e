/** What pods have of their own: how they are bound to nodes, evicted and deleted. */
export { createBinding } from './bind-pod.ts';
export { type EvictionDependencies, evictPod } from './evict-pod.ts';
export {
  defaultGarbageCollectionPolicy,
  orphanedPodsWarning,
  podGracePeriodSeconds,
} from './graceful-deletion.ts';
